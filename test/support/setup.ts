import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// Loads the module whose types are extended below.
import type {} from 'vitest'
import type { TestProject } from 'vitest/node'
import type { DialectName } from './dialects.js'
import { chosenDialects } from './dialects.js'
import type { ServerName, Servers } from './servers/index.js'
import { startServers } from './servers/index.js'

declare module 'vitest' {
  interface ProvidedContext {
    urls: Partial<Record<ServerName, string>>
    dialects: DialectName[]
    /** A folder for files of the tests, which is removed at the end of the run. */
    folder: string
  }
}

interface Run {
  servers: Promise<Servers>
  folder: Promise<string>
  projects: number
}

// Vitest runs this file once for each project, all in one process. The projects share the servers and the folder through this global.
const shared = globalThis as { testRun?: Run }

export default async function setup(project: TestProject) {
  const dialects = chosenDialects()
  shared.testRun ??= {
    servers: startServers(dialects.filter((name) => name !== 'sqlite')),
    folder: mkdtemp(join(tmpdir(), 'auth-tests-')).then((path) => realpath(path)),
    projects: 0,
  }
  const run = shared.testRun
  run.projects++
  const { urls, stop } = await run.servers
  const folder = await run.folder
  project.provide('urls', urls)
  project.provide('dialects', dialects)
  project.provide('folder', folder)
  return async () => {
    if (--run.projects > 0) return
    await stop()
    await rm(folder, { recursive: true, force: true })
  }
}
