import type { TestProject } from 'vitest/node'
import type { ServerName, Servers } from '../servers/index.js'
import { startServers } from '../servers/index.js'
import type { DialectName } from './dialects.js'
import { chosenDialects } from './dialects.js'

declare module 'vitest' {
  interface ProvidedContext {
    urls: Partial<Record<ServerName, string>>
    dialects: DialectName[]
  }
}

// Vitest runs this file once for each project, all in one process. The projects share the servers through this global.
const shared = globalThis as { testServers?: { started: Promise<Servers>; users: number } }

export default async function setup(project: TestProject) {
  const dialects = chosenDialects()
  shared.testServers ??= { started: startServers(dialects.filter((name) => name !== 'sqlite')), users: 0 }
  const servers = shared.testServers
  servers.users++
  const { urls, stop } = await servers.started
  project.provide('urls', urls)
  project.provide('dialects', dialects)
  return async () => {
    if (--servers.users === 0) await stop()
  }
}
