import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** The package by its own name, from its sources. */
const itself = [
  { find: /^drizzle-auth-adapter$/, replacement: source('index.ts') },
  { find: /^#dialects$/, replacement: source('dialects/all.ts') },
  { find: /^#checks$/, replacement: source('checks.ts') },
  { find: /^drizzle-auth-adapter\/(pg|mysql|sqlite|testing)$/, replacement: source('$1/index.ts') },
]

/** Every test runs on both versions of Drizzle; the second is installed under a name of its own. */
const project = (name: string, alias: { find: RegExp; replacement: string }[]) => ({
  extends: true as const,
  resolve: { alias: [...itself, ...alias] },
  test: { name, env: { DRIZZLE: name } },
})

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [project('drizzle 0.45', []), project('drizzle 1.0', [{ find: /^drizzle-orm($|\/.*)/, replacement: 'drizzle-orm-v1$1' }])],
  },
})
