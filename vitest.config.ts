import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const source = (path: string) => fileURLToPath(new URL(`./src/${path}`, import.meta.url))

/** The package by its own name, from its sources. */
const itself = [
  { find: /^drizzle-auth-adapter$/, replacement: source('index.ts') },
  { find: /^drizzle-auth-adapter\/(pg|mysql|sqlite|authjs|doctor|relations|secrets|testing)$/, replacement: source('$1/index.ts') },
  { find: 'drizzle-auth-adapter/relations/v2', replacement: source('relations/v2.ts') },
]

/** Drizzle 1.0 is installed under a name of its own. */
const drizzleV1 = { find: /^drizzle-orm($|\/.*)/, replacement: 'drizzle-orm-v1$1' }

/** The demo in a browser. */
const browserTests = [
  'test/browser/{accounts,appearance,codes,devices,jwt,links,live,passwords,scanners,sessions,start,tokens,trouble,ways}.test.ts',
]

/** Apps of their own in a browser. As with `libraryTests`, each file loads its own Auth.js. */
const browserApps = ['test/browser/recipes.test.ts']

/** What takes long, or needs drivers and runtimes of `matrix/package.json`. */
const slowTests = ['test/**/*.slow.test.ts']

/** What takes minutes by its nature. */
const releaseTests = ['test/**/*.release.test.ts']

/** What reads sources and package files, needs no Drizzle, or tests commands whose queries are tested elsewhere. */
const onceTests = [
  'test/package/*.test.ts',
  'test/cli/*.test.ts',
  'test/contract/{faults,fewer,messages}.test.ts',
  'test/commands/{connection,init,options,process,secrecy,settings}.test.ts',
]

/** What calls modules directly, and talks to no server. */
const unitTests = ['test/**/*.unit.test.ts']

/** Commands, and what the doctor finds, on databases. With Drizzle 1.0 they run before a release. */
const commandTests = ['test/commands/{doctor,rights,secrets,sweep}.test.ts', 'test/doctor/{keys,rows,surroundings}.test.ts']

/** Sign-ins with Auth.js, which keeps state in its modules (it remembers passkey providers), so each file loads its own. */
const libraryTests = ['test/{authjs,library,recipes}/!(*.unit).test.ts', 'test/browser/flows.test.ts', 'test/secrets/demo.test.ts']

/** Loads Drizzle and the drivers once for all files, which saves a fifth of the time. Such tests must leave no global changed. */
const quick = { isolate: false }

const adapterTests = (...others: string[]) => ({
  include: ['test/**/*.test.ts'],
  exclude: [...browserTests, ...browserApps, ...slowTests, ...releaseTests, ...onceTests, ...unitTests, ...libraryTests, ...others],
  ...quick,
})

interface Files {
  include: string[]
  exclude?: string[]
  isolate?: boolean
}

const project = (name: string, files: Files, alias: { find: RegExp; replacement: string }[] = []) => ({
  extends: true as const,
  resolve: { alias: [...itself, ...alias] },
  test: { name, env: { DRIZZLE: alias.length > 0 ? 'drizzle 1.0' : 'drizzle 0.45' }, ...files },
})

export default defineConfig({
  test: {
    globalSetup: ['test/helpers/setup.ts'],
    // Vitest would take one worker on two cores. Most tests wait for a server or a process.
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 120_000,
    projects: [
      project('drizzle 0.45', adapterTests('test/drizzle-1.0/*.test.ts')),
      project('drizzle 1.0', adapterTests('test/drizzle-0.45/*.test.ts', ...commandTests), [drizzleV1]),
      project('drizzle 0.45, units', { include: unitTests, ...quick }),
      project('drizzle 1.0, units', { include: unitTests, ...quick }, [drizzleV1]),
      project('drizzle 0.45, Auth.js', { include: libraryTests, exclude: [...slowTests, ...releaseTests] }),
      project('drizzle 1.0, Auth.js', { include: libraryTests, exclude: [...slowTests, ...releaseTests] }, [drizzleV1]),
      project('once', { include: onceTests, ...quick }),
      project('slow 0.45', { include: slowTests }),
      project('slow 1.0', { include: slowTests }, [drizzleV1]),
      project('release 0.45', { include: releaseTests }),
      project('release 1.0', { include: [...releaseTests, ...commandTests] }, [drizzleV1]),
      project('browser, demo', { include: browserTests, ...quick }),
      project('browser, apps', { include: browserApps }),
    ],
  },
})
