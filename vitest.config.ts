import { fileURLToPath } from 'node:url'
import { configDefaults, defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** The package by its own name, from its sources. */
const itself = [
  { find: /^drizzle-auth-adapter$/, replacement: source('index.ts') },
  {
    find: /^drizzle-auth-adapter\/(pg|mysql|sqlite|authjs|better-auth|relations|secrets|testing)$/,
    replacement: source('$1/index.ts'),
  },
  { find: 'drizzle-auth-adapter/internal', replacement: source('internal.ts') },
  { find: 'drizzle-auth-adapter/better-auth/cookie', replacement: source('better-auth/cookie.ts') },
  { find: 'drizzle-auth-adapter/relations/v2', replacement: source('relations/v2.ts') },
  { find: 'drizzle-auth-kit', replacement: fileURLToPath(new URL('./kit/src/index.ts', import.meta.url)) },
]

/** Drizzle 1.0 is installed under a name of its own. */
const drizzleV1 = { find: /^drizzle-orm($|\/.*)/, replacement: 'drizzle-orm-v1$1' }

type Version = '0.45' | '1.0'

// DRIZZLE=1.0 runs the projects that are not named after a version with Drizzle 1.0.
const chosen: Version = process.env.DRIZZLE === '1.0' ? '1.0' : '0.45'

interface Files {
  include?: string[]
  exclude?: string[]
  version?: Version
  /** False loads Drizzle and the drivers once for all files, which saves a fifth of the time. Such tests must leave no global changed. */
  isolate?: boolean
}

/** A file's name says where it belongs: `*.slow.test.ts` and `*.release.test.ts` run there, whatever their folder. */
const project = (name: string, { include = ['test/**/*.test.ts'], exclude = [], version = chosen, isolate = true }: Files) => ({
  extends: true as const,
  resolve: { alias: version === '1.0' ? [...itself, drizzleV1] : itself },
  test: { name, include, exclude: [...configDefaults.exclude, ...exclude], isolate, env: { DRIZZLE: `drizzle ${version}` } },
})

const slow = 'test/**/*.slow.test.ts'
const release = 'test/**/*.release.test.ts'
// The kit's own tests are named in the same way.
const ofKit = ['kit/test/**/*.{slow,release}.test.ts']
const others = [slow, release, 'test/{auth,browser}/**']

export default defineConfig({
  test: {
    globalSetup: ['test/support/setup.ts'],
    // Vitest would take one worker on two cores. Most tests wait for a server or a process.
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    projects: [
      project('drizzle 0.45', {
        include: ['test/**/*.test.ts', 'kit/test/**/*.test.ts'],
        exclude: [...others, ...ofKit, 'test/**/*.v1.test.ts'],
        version: '0.45',
        isolate: false,
      }),
      // `*.once.test.ts` reads sources or tests commands whose queries are tested elsewhere.
      project('drizzle 1.0', {
        include: ['test/**/*.test.ts', 'kit/test/{,unit/}doctor/**/*.test.ts'],
        exclude: [...others, ...ofKit, '**/*.once.test.ts', 'test/package/**'],
        version: '1.0',
        isolate: false,
      }),
      // Auth.js keeps state in its modules (it remembers passkey providers), so each file loads its own.
      project('auth', { include: ['test/auth/**/*.test.ts'], exclude: [slow, release] }),
      project('browser', { include: ['test/browser/**/*.test.ts'] }),
      project('slow', { include: [slow, 'kit/test/**/*.slow.test.ts'] }),
      project('release', { include: [release, 'kit/test/**/*.release.test.ts'] }),
    ],
  },
})
