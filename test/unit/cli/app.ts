import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { onTestFinished } from 'vitest'
import { main } from '../../../src/cli/main.js'
import { migrationsOf } from '../../support/migrations.js'
import { folderWith, install } from './files.js'

/** An app with a SQLite database, which has the default tables and the user `u`. */
export interface App {
  cwd: string
  client: Database.Database
  run(args: string[], options?: RunOptions): Promise<{ code: number; stdout: string; stderr: string }>
}

interface RunOptions {
  env?: Record<string, string>
  /** The width of the terminal. By default, there is no terminal. */
  columns?: number
  /** Called with each text for the standard error. */
  onStderr?: (text: string) => void
}

// It is copied, which takes less time than its migrations.
let database: Promise<Buffer> | undefined

async function newDatabase(): Promise<Buffer> {
  const client = new Database(':memory:')
  for (const statement of await migrationsOf('sqlite')) client.exec(statement)
  client.exec(`insert into "user" (id, email) values ('u', 'ada@example.com')`)
  return client.serialize()
}

/** Creates an app with these files. DATABASE_URL names its database. */
export async function newApp(files: Record<string, string> = {}): Promise<App> {
  const cwd = await folderWith({ 'package.json': '{ "type": "module" }', ...files })
  await install(cwd, 'drizzle-orm')
  database ??= newDatabase()
  await writeFile(join(cwd, 'app.db'), await database)
  const client = new Database(join(cwd, 'app.db'))
  onTestFinished(() => void client.close())
  client.pragma('synchronous = off')
  return {
    cwd,
    client,
    async run(args, { columns, env, onStderr } = {}) {
      const printed = { stdout: '', stderr: '' }
      const stdout = { write: (text: string) => (printed.stdout += text) }
      const write = (text: string) => {
        printed.stderr += text
        onStderr?.(text)
      }
      const stderr = { write, isTTY: columns !== undefined, columns }
      const code = await main(args, { stdout, stderr, cwd, env: { DATABASE_URL: 'app.db', ...env } })
      return { code, ...printed }
    },
  }
}

/** Sends a signal to this process when a text is printed. */
export const signalAt = (text: string, signal: 'SIGINT' | 'SIGTERM') => (printed: string) => {
  if (printed.includes(text)) process.emit(signal, signal)
}
