import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'

const root = import.meta.dirname

/** The packages by their own names, from their sources. */
const itself = [
  { find: /^drizzle-auth-kit$/, replacement: join(root, 'kit/src/index.ts') },
  { find: /^drizzle-auth-adapter$/, replacement: join(root, 'src/index.ts') },
  { find: /^drizzle-auth-adapter\/(internal|better-auth\/cookie|relations\/v2)$/, replacement: join(root, 'src/$1.ts') },
  { find: /^drizzle-auth-adapter\/([\w-]+)$/, replacement: join(root, 'src/$1/index.ts') },
]

/** Drizzle 1.0 is installed under a name of its own. */
const drizzleV1 = { find: /^drizzle-orm($|\/.*)/, replacement: 'drizzle-orm-v1$1' }

/** The versions of Drizzle to test. DRIZZLE chooses one. */
const versions = process.env.DRIZZLE ? [process.env.DRIZZLE] : ['0.45', '1.0']

const project = (version: string | undefined, test: { name: string; include: string[]; exclude?: string[]; isolate?: boolean }) => ({
  extends: true as const,
  resolve: { alias: version === '1.0' ? [...itself, drizzleV1] : itself },
  test: { ...test, exclude: [...configDefaults.exclude, ...(test.exclude ?? [])], env: { DRIZZLE: version } },
})

// The doctor reads tables of both versions. What else the kit does, does not depend on the version.
const doctor = 'kit/test/integration/doctor/**'
const once = ['test/{unit,package}/**/*.test.ts', 'kit/test/{unit,integration}/**/*.test.ts']
const integration = ['test/integration/**/*.test.ts', `${doctor}/*.test.ts`]

export default defineConfig({
  test: {
    globalSetup: ['test/support/setup.ts'],
    // Vitest would take one worker on two cores. Most tests wait for a server or a process.
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    // Drizzle and the drivers are loaded once for all files, which saves a fifth of the time. Tests must restore globals.
    isolate: false,
    projects: [
      project(versions[0], { name: 'once', include: once, exclude: [doctor] }),
      ...versions.map((version) => {
        const exclude = version === '1.0' ? [] : ['test/integration/drizzle-1.0/**']
        return project(version, { name: `integration ${version}`, include: integration, exclude })
      }),
      // Auth.js keeps state in its modules (it remembers passkey providers), so each file loads its own.
      project(versions[0], { name: 'auth', include: ['test/auth/**/*.test.ts'], isolate: true }),
      project(versions[0], { name: 'slow', include: ['{test,kit/test}/slow/**/*.test.ts'], isolate: true }),
    ],
  },
})
