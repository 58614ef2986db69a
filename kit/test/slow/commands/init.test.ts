import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { withDatabase } from '../../../../test/support/connections.js'
import type { DialectName } from '../../../../test/support/dialects.js'
import { root } from '../../../../test/support/root.js'
import { folderWith, run } from '../../support/commands/app.js'
import { follow, linkPackages, shell, startAndSignIn, stepsIn } from '../../support/commands/follow.js'

const kitNames = { pg: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } satisfies Record<DialectName, string>

const ownUsers: Record<DialectName, string> = {
  pg: `import { pgTable, serial, text } from 'drizzle-orm/pg-core'

export const users = pgTable('users', {
  id: serial().primaryKey(),
  email: text().notNull().unique(),
})
`,
  mysql: `import { int, mysqlTable, varchar } from 'drizzle-orm/mysql-core'

export const users = mysqlTable('users', {
  id: int().autoincrement().primaryKey(),
  email: varchar({ length: 190 }).notNull().unique(),
})
`,
  sqlite: `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'

export const users = sqliteTable('users', {
  id: integer().primaryKey({ autoIncrement: true }),
  email: text().notNull().unique(),
})
`,
}

// The linked packages are those of Drizzle 0.45, so the test runs with that version only.
describe.runIf(process.env.DRIZZLE === '0.45')('the steps that init prints lead to a sign-in', () => {
  test.each(inject('dialects'))('in an empty folder, on %s', { timeout: 240_000 }, async (dialect) => {
    const folder = await folderWith({})
    const { code, stdout } = await run(['init', '--dialect', kitNames[dialect]], { cwd: folder })
    expect(code).toBe(0)
    await withDatabase(dialect, inject('urls'), async (database) => {
      const steps = stepsIn(stdout)
      const last = steps.pop()
      const url = dialect === 'sqlite' ? 'app.db' : database
      for (const step of steps) await follow(folder, step, url, (names) => linkPackages(folder, names))
      await shell(folder, 'npx tsc')
      await startAndSignIn(`empty folder, ${dialect}`, folder, '/auth', () => last?.lines[0] ?? '')
    })
  })

  const dialects = inject('dialects')
  const ownApps: { title: string; dialect: DialectName; files: Record<string, string> }[] = [
    ...dialects.map((dialect) => ({ title: 'its own users table', dialect, files: { 'db/schema.ts': ownUsers[dialect] } })),
    // How a schema exports its tables does not depend on the dialect.
    ...dialects.slice(0, 1).map((dialect) => ({
      title: 'its own users table, which the schema re-exports',
      dialect,
      files: { 'db/schema.ts': "export * from './users.js'\n", 'db/users.ts': ownUsers[dialect] },
    })),
  ]

  test.each(ownApps)('in an app with $title, on $dialect', { timeout: 240_000 }, async ({ title, files, dialect }) => {
    const folder = await folderWith({
      'package.json': JSON.stringify({ private: true, type: 'module', devDependencies: { typescript: '*' } }),
      'tsconfig.json': await readFile(join(root, 'examples/node/tsconfig.json'), 'utf8'),
      'drizzle.config.ts': `export default {
  dialect: '${kitNames[dialect]}',
  schema: './db/schema.ts',
  dbCredentials: { url: process.env.DATABASE_URL },
}
`,
      ...files,
    })
    await linkPackages(folder, ['typescript'])
    const { stdout } = await run(['init'], { cwd: folder })
    await withDatabase(dialect, inject('urls'), async (database) => {
      const steps = stepsIn(stdout)
      const last = steps.pop()
      const url = dialect === 'sqlite' ? 'app.db' : database
      for (const step of steps) await follow(folder, step, url, (names) => linkPackages(folder, names))
      await shell(folder, 'npx tsc')
      const [migration = ''] = (await readdir(join(folder, 'drizzle'))).filter((name) => name.endsWith('.sql'))
      const tables = (await readFile(join(folder, 'drizzle', migration), 'utf8')).match(/(?<=CREATE TABLE [`"])\w+/g)
      expect(tables?.sort()).toEqual(['account', 'authenticator', 'session', 'users', 'verificationToken'])
      await startAndSignIn(`${title}, ${dialect}`, folder, '/auth', () => last?.lines[0] ?? '')
    })
  })

  test('in an empty folder with JavaScript', { timeout: 240_000 }, async () => {
    const folder = await folderWith({ 'package.json': '{ "type": "commonjs" }' })
    const { stdout } = await run(['init', '--dialect', 'sqlite'], { cwd: folder })
    const steps = stepsIn(stdout)
    const last = steps.pop()
    for (const step of steps) await follow(folder, step, 'app.db', (names) => linkPackages(folder, names))
    expect(last?.lines).toEqual(['node --env-file=.env server.js'])
    await startAndSignIn('empty folder, JavaScript', folder, '/auth', () => last?.lines[0] ?? '')
  })
})

// `script` of util-linux provides a terminal. On other systems, it has other options.
describe.runIf(process.platform === 'linux')('init at a terminal', () => {
  function startAtTerminal(folder: string) {
    const bin = join(root, 'kit/dist/cli.js')
    const child = spawn('script', ['-qec', `'${process.execPath}' '${bin}' init`, '/dev/null'], { cwd: folder })
    let shown = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      shown += text
    })
    const ended = once(child, 'close').then(([code]) => ({ code, shown }))
    /** Waits until a text is shown, and then types. */
    async function type(after: string, keys: string): Promise<void> {
      while (!shown.includes(after)) await Promise.race([once(child.stdout, 'data'), ended])
      child.stdin.write(keys)
    }
    return { type, ended }
  }

  test('asks questions and uses the answers', async () => {
    const folder = await folderWith({})
    const { type, ended } = startAtTerminal(folder)
    await type('Which library?', 'authjs\r')
    await type('Which database?', 'sqlite\r')
    await type('Which driver?', '@libsql/client\r')
    expect(await ended).toMatchObject({ code: 0, shown: expect.stringContaining('@libsql/client (your answer)') })
    expect(await readFile(join(folder, 'db.ts'), 'utf8')).toContain('drizzle-orm/libsql')
  })

  test('stops at Ctrl-C and writes nothing', async () => {
    const folder = await folderWith({})
    const { type, ended } = startAtTerminal(folder)
    await type('Which library?', '\u0003')
    expect(await ended).toMatchObject({ code: 1, shown: expect.stringContaining('stopped. Nothing was written.') })
    await expect(readFile(join(folder, 'auth.ts'))).rejects.toThrow('ENOENT')
  })
})
