import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql, openPg, openSqlite } from './databases.js'
import type { DialectName } from './dialects.js'

const root = join(import.meta.dirname, '..')
const command = join(root, 'dist', 'cli', 'index.js')

// The command finds Drizzle by its name: for the second version of the tests, under the name that one is installed by.
const moduleOf = (code: string) => `data:text/javascript,${encodeURIComponent(code).replaceAll("'", '%27')}`
const hooks = `export const resolve = (name, context, next) => next(name.replace(/^drizzle-orm(?=$|\\/)/, 'drizzle-orm-v1'), context)`
const register = `import { register } from 'node:module'; register('${moduleOf(hooks)}')`
const flags = process.env.DRIZZLE === 'drizzle 1.0' ? ['--import', moduleOf(register)] : []

interface Run {
  code: number
  stdout: string
  stderr: string
}

/** Runs the command as a program of its own. */
function sweep(args: string[], options: { env?: Record<string, string>; flags?: string[]; command?: string } = {}) {
  const { DATABASE_URL, NODE_OPTIONS, ...inherited } = process.env
  const all = [...flags, ...(options.flags ?? []), options.command ?? command, 'sweep', ...args]
  const child = spawn(process.execPath, all, { env: { ...inherited, ...options.env }, cwd: root })
  const result = { code: 0, stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text) => (result.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text) => (result.stderr += text))
  const ended = once(child, 'close').then(([code]): Run => ({ ...result, code: code as number }))
  return { child, ended }
}

interface Opened {
  url: string
  exec(statement: string): Promise<void>
  run(statement: string): Promise<Record<string, unknown>[]>
  /** A date, as this database's own SQL writes it. */
  date(date: Date): string
  quote(name: string): string
}

const instant = (date: Date) => `'${date.toISOString().replace('T', ' ').replace('Z', '')}'`
const grave = (name: string) => `\`${name}\``
const double = (name: string) => `"${name}"`

const open: Record<DialectName, () => Promise<Opened>> = {
  async sqlite() {
    const opened = await openSqlite()
    onTestFinished(opened.close)
    return { ...opened, url: opened.client.name, date: (date) => `${date.getTime()}`, quote: double }
  },
  async pg() {
    const opened = await openPg({ connections: 1 })
    onTestFinished(opened.close)
    return { ...opened, date: instant, quote: double }
  },
  async mysql() {
    const opened = await openMysql({ connections: 1 })
    onTestFinished(opened.close)
    return { ...opened, date: instant, quote: grave }
  },
}

/** So many expired sessions and tokens, and one of each that is not. */
async function fill({ exec, quote, date }: Opened, expired: number, [sessions, tokens] = ['session', 'verificationToken']) {
  const [past, future] = [date(new Date(Date.now() - 1_000)), date(new Date(Date.now() + 3_600_000))]
  await exec(`insert into ${quote('user')} (id, email) values ('u', 'u@example.com')`)
  const rows = [...Array.from({ length: expired }, (_, index) => [`t${index}`, past]), ['live', future]]
  for (let from = 0; from < rows.length; from += 500) {
    const some = rows.slice(from, from + 500)
    await exec(
      `insert into ${sessions?.split('.').map(quote).join('.')} values ${some.map(([token, time]) => `('${token}', 'u', ${time})`)}`,
    )
    await exec(`insert into ${tokens?.split('.').map(quote).join('.')} values ${some.map(([token, time]) => `('u', '${token}', ${time})`)}`)
  }
}

async function left({ run, quote }: Opened): Promise<{ sessions: number; tokens: number }> {
  const countIn = async (table: string) => Number((await run(`select count(*) as n from ${quote(table)}`))[0]?.n)
  return { sessions: await countIn('session'), tokens: await countIn('verificationToken') }
}

/** The number before a word, in what was printed. */
const counted = (text: string, word: string) => Number(new RegExp(`([\\d,]+) ${word}`).exec(text)?.[1]?.replaceAll(',', ''))

describe.each(inject('dialects'))('the command sweep on %s', (dialect) => {
  test('deletes what has expired, and says how much it was', async () => {
    const opened = await open[dialect]()
    await fill(opened, 1_200)
    const { code, stdout, stderr } = await sweep([], { env: { DATABASE_URL: opened.url } }).ended
    expect(stderr).toMatch(/^sweeping \S+\n$/)
    expect(stdout).toBe('deleted 1,200 sessions and 1,200 verification tokens\n')
    expect(code).toBe(0)
    expect(await left(opened)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('only counts in a dry run, takes one table alone, and can be quiet', async () => {
    const opened = await open[dialect]()
    await fill(opened, 1)
    const dry = await sweep(['--url', opened.url, '--dry-run']).ended
    expect(dry).toMatchObject({ code: 0, stdout: '1 session and 1 verification token would be deleted\n' })
    expect(await left(opened)).toEqual({ sessions: 2, tokens: 2 })
    const before = await sweep(['--url', opened.url, '--before', '2020-01-01']).ended
    expect(before).toMatchObject({ code: 0, stdout: 'deleted 0 sessions and 0 verification tokens\n' })
    expect(await sweep(['--url', opened.url, '--only', 'tokens', '--quiet']).ended).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(await left(opened)).toEqual({ sessions: 2, tokens: 1 })
    expect(await sweep(['--url', opened.url, '--only', 'sessions']).ended).toMatchObject({ code: 0, stdout: 'deleted 1 session\n' })
  })

  test('deletes each row once, however many run at once', async () => {
    const opened = await open[dialect]()
    await fill(opened, 3_000)
    const runs = await Promise.all([1, 2, 3].map(() => sweep(['--url', opened.url, '--batch', '50', '--pause', '1']).ended))
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      runs.map(() => ({ code: 0, stderr: expect.stringMatching(/^sweeping \S+\n$/) })),
    )
    const sum = (word: string) => runs.reduce((total, { stdout }) => total + counted(stdout, word), 0)
    expect([sum('session'), sum('verification token')]).toEqual([3_000, 3_000])
    expect(await left(opened)).toEqual({ sessions: 1, tokens: 1 })
  })

  test('stops after a batch when interrupted, and goes on when started again', async () => {
    const opened = await open[dialect]()
    await fill(opened, 200)
    const { child, ended } = sweep(['--url', opened.url, '--batch', '10', '--pause', '600000'])
    while ((await left(opened)).sessions === 201) await sleep(50)
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130, stdout: 'stopped; deleted 10 sessions and 0 verification tokens\n' })
    expect(await left(opened)).toEqual({ sessions: 191, tokens: 201 })
    expect(await sweep(['--url', opened.url]).ended).toMatchObject({
      code: 0,
      stdout: 'deleted 190 sessions and 200 verification tokens\n',
    })
  })

  test('takes tables of other names, and those of a schema file', async () => {
    const opened = await open[dialect]()
    const { quote, exec, url } = opened
    const [sessions, tokens] = dialect === 'pg' ? ['auth.logins', 'auth.links'] : ['logins', 'links']
    if (dialect === 'pg') await exec('create schema auth')
    const path = (name: string) => name.split('.').map(quote).join('.')
    await exec(`create table ${path(sessions as string)} as select * from ${quote('session')}`)
    await exec(`create table ${path(tokens as string)} as select * from ${quote('verificationToken')}`)
    await fill(opened, 3, [sessions as string, tokens as string])
    const named = await sweep(['--url', url, '--sessions', sessions as string, '--only', 'sessions']).ended
    expect(named).toMatchObject({ code: 0, stdout: 'deleted 3 sessions\n' })

    const folder = await mkdtemp(join(root, '.tmp-sweep-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const name = (tokens as string).split('.').at(-1)
    const create = { pg: `pgSchema('auth').table`, mysql: 'mysqlTable', sqlite: 'sqliteTable' }[dialect]
    const columns = {
      pg: `identifier: text(), token: text(), expires: timestamp({ mode: 'date' })`,
      mysql: `identifier: varchar({ length: 255 }), token: varchar({ length: 255 }), expires: datetime({ mode: 'date', fsp: 3 })`,
      sqlite: `identifier: text(), token: text(), expires: integer({ mode: 'timestamp_ms' })`,
    }[dialect]
    const used = [...new Set(`${create} ${columns}`.match(/\b\w+(?=\()/g)), ...(dialect === 'pg' ? [] : [create])]
    const text = `import { ${used} } from 'drizzle-orm/${dialect}-core'\nexport const links = ${create}('${name}', { ${columns} })\n`
    await writeFile(join(folder, 'schema.mjs'), text)
    const file = ['--url', url, '--schema', join(folder, 'schema.mjs')]
    expect(await sweep(file).ended).toMatchObject({ code: 1, stderr: expect.stringContaining('exports neither sessionsTable nor') })
    expect(await sweep([...file, '--tokens', 'missing']).ended).toMatchObject({ stderr: expect.stringContaining('no export missing') })
    expect(await sweep([...file, '--tokens', 'links']).ended).toMatchObject({ code: 0, stdout: 'deleted 3 verification tokens\n' })
  })

  test('says what to do where a table is missing', async () => {
    const opened = await open[dialect]()
    await opened.exec(`drop table ${opened.quote('verificationToken')}`)
    const { code, stderr } = await sweep(['--url', opened.url]).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/the table or a column is not in the database.*say so with --sessions and --tokens/)
  })

  // `script` of util-linux gives it a terminal; that of other systems takes other options.
  test.runIf(process.platform === 'linux')('draws a bar on a terminal', async () => {
    const opened = await open[dialect]()
    await fill(opened, 50)
    const line = [process.execPath, ...flags, command, 'sweep', '--url', opened.url, '--batch', '10', '--pause', '1']
      .map((word) => `'${word}'`)
      .join(' ')
    const { stdout } = await promisify(execFile)('script', ['-qec', line, '/dev/null'], { cwd: root })
    const drawn = stdout.split(/[\r\n]+/)
    expect(drawn).toContain(`sessions            ${'█'.repeat(10)}${'░'.repeat(14)}  40 %  20 of 50\x1b[K`)
    expect(drawn).toContain(`verification tokens ${'█'.repeat(24)} 100 %  50 of 50\x1b[K`)
    expect(drawn).toContain('deleted 50 sessions and 50 verification tokens')
  })
})

describe('the command sweep', () => {
  test('explains itself', async () => {
    const { code, stdout } = await sweep(['--help']).ended
    expect(code).toBe(0)
    for (const option of ['url', 'schema', 'sessions', 'tokens', 'only', 'before', 'batch', 'pause', 'dry-run', 'quiet'])
      expect(stdout).toContain(`--${option}`)
  })

  test('says how each of its options was misused', async () => {
    const wrong: [string[], RegExp, number?][] = [
      [[], /Pass --url, or set DATABASE_URL/],
      [['--url', 'oracle://host/x'], /oracle: is not one of those it knows: postgres/],
      [['--url', 'postgres://host:port/x'], /the URL of the database is none/],
      [['--bath', '3'], /Unknown option '--bath'\. --help lists the options/],
      [['--url', 'x', '--batch', '-1'], /--batch/],
      [['--url', 'x', '--batch', 'many'], /--batch takes a whole number, not many/],
      [['--url', 'x', '--pause', '1.5'], /--pause takes a whole number/],
      [['--url', 'x', '--before', 'then'], /--before takes a date such as/],
      [['--url', 'nowhere.db'], /there is no file nowhere\.db/, 1],
    ]
    for (const [args, message, exitCode = 2] of wrong) {
      const { code, stdout, stderr } = await sweep(args).ended
      expect({ code, stdout }, args.join(' ')).toEqual({ code: exitCode, stdout: '' })
      expect(stderr).toMatch(message)
    }
    await expect(access(join(root, 'nowhere.db'))).rejects.toThrow()
  })

  test('refuses a date in the future, and seconds where it takes milliseconds for granted', async () => {
    const opened = await open.sqlite()
    const later = await sweep(['--url', opened.url, '--before', '2100-01-01']).ended
    expect(later).toMatchObject({ code: 1, stderr: expect.stringContaining('before lies in the future') })
    await opened.exec(`insert into "user" (id, email) values ('u', 'u@example.com')`)
    await opened.exec(`insert into "session" values ('live', 'u', unixepoch() + 3600)`)
    const { code, stderr } = await sweep(['--url', `file:${opened.url}`]).ended
    expect(code).toBe(1)
    expect(stderr).toMatch(/seems to hold seconds, not milliseconds\. Pass the file that declares it with --schema/)
    expect(await left(opened)).toMatchObject({ sessions: 1 })
  })

  test('prints no password', async () => {
    for (const scheme of ['postgres', 'mysql']) {
      const { code, stdout, stderr } = await sweep(['--url', `${scheme}://me:top-secret@127.0.0.1:1/db?key=top-secret`]).ended
      expect(code).toBe(1)
      expect(stderr).toMatch(/the database cannot be reached.*Is the server running, and is its address right\?/)
      expect(stdout + stderr).not.toMatch(/top-secret|me:/)
    }
  })

  test('loads TypeScript where Node.js can, and says how where it cannot', async () => {
    const opened = await open.sqlite()
    await fill(opened, 2)
    const args = ['--url', opened.url, '--schema', 'test/schema/sqlite.ts']
    expect(await sweep(args, { flags: ['--import', 'tsx'] }).ended).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^deleted 2 sess/),
    })
    const plain = await sweep(args).ended
    // Node.js strips types by itself since 22.18.
    if (plain.code !== 0) expect(plain.stderr).toMatch(/install tsx and set NODE_OPTIONS='--import tsx'/)
  })

  test('says which driver to install where there is none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sweep-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const home = join(folder, 'node_modules', 'drizzle-auth-adapter')
    await mkdir(home, { recursive: true })
    await cp(join(root, 'dist'), join(home, 'dist'), { recursive: true })
    await cp(join(root, 'package.json'), join(home, 'package.json'))
    for (const name of ['drizzle-orm', 'drizzle-orm-v1'])
      await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
    const options = { flags: ['--preserve-symlinks', '--preserve-symlinks-main'], command: join(home, 'dist', 'cli', 'index.js') }
    const run = (url: string) => sweep(['--url', url], options).ended
    const wanted = {
      'postgres://localhost/x': 'npm install postgres (or pg)',
      'mysql://localhost/x': 'npm install mysql2',
      'libsql://localhost': 'npm install @libsql/client',
      [join(root, 'package.json')]: 'npm install better-sqlite3 (or @libsql/client)',
    }
    for (const [url, advice] of Object.entries(wanted))
      expect(await run(url)).toMatchObject({ code: 1, stderr: expect.stringContaining(advice) })
  })
})
