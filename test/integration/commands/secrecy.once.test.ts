import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { parseUrl } from '../../../src/cli/url.js'
import { folderWith, run } from './app.js'

const user = 'LeakyUser'
const password = 'TopSecret'
const login = `${user}:${password}@127.0.0.1:1`

/** URLs as people paste them, valid and invalid ones. Nothing listens on port 1. */
const pastedUrls: string[] = [
  `postgres://${login}/db`,
  `POSTGRES://${login}/db`,
  `postgresql://${login}/db?sslmode=${password}&application_name=${password}`,
  `postgres://${user}:${password}@127.0.0.1:1,127.0.0.1:2/db?target_session_attrs=${password}`,
  `postgres://${login}/db?connect_timeout=1#${password}`,
  `"postgres://${login}/db"`,
  `'postgres://${login}/db'`,
  `'postgres://${login}/db`,
  `postgres://${login}/db;`,
  `  postgres://${login}/db`,
  `postgres://${login}/db \n`,
  `\ufeffpostgres://${login}/db`,
  `psql 'postgres://${login}/db'`,
  `DATABASE_URL=postgres://${login}/db`,
  `export DATABASE_URL="postgres://${login}/db"`,
  `<postgres://${login}/db>`,
  `postgress://${login}/db`,
  `postgres:/${login}/db`,
  `postgres:${login}/db`,
  `postgres//${login}/db`,
  `postgres:///${login}/db`,
  `://${login}/db`,
  `${login}/db`,
  `${user}@127.0.0.1/${password}@db`,
  `postgres://${user}:12/${password}@127.0.0.1:1/db`,
  `postgres://${user}:12#${password}@127.0.0.1:1/db`,
  `postgres://${user}:12?${password}@127.0.0.1:1/db`,
  `postgres://${user}/${password}@127.0.0.1:1/db`,
  `postgres://${user}:${password}%@127.0.0.1:1/db`,
  `postgres://${user}:${password} @127.0.0.1:1/db`,
  `postgres://${user}:${password}\n@127.0.0.1:1/db`,
  `postgres://${user}:${password}@127.0.0.1:port/db`,
  `postgres://${user}:${password}@[127.0.0.1/db`,
  `postgres://${user}:${password}@/db`,
  `mysql://${login}/db?${password}=1&timezone=${password}&charset=${password}&debug=true`,
  `mysql://${login}/db?ssl=${password}`,
  `mysql://${login}`,
  `mariadb://${user}:${password}@127.0.0.1:1,127.0.0.1:2/db`,
  `mysql:host=127.0.0.1;user=${user};password=${password}`,
  `${user}:${password}@tcp(127.0.0.1:1)/db`,
  `jdbc:mysql://127.0.0.1:1/db?user=${user}&password=${password}`,
  `prisma+postgres://127.0.0.1:1/?api_key=${password}&user=${user}`,
  `mongodb+srv://${login}/db`,
  `libsql://${login}?authToken=${password}`,
  `https://127.0.0.1:1/${user}/${password}`,
  `https://${login}`,
  `file:${login}`,
  `file://${login}/db`,
  `file:app.db?user=${user}&key=${password}`,
  `host=127.0.0.1 user=${user} password=${password}`,
]

const inConfig = (config: object) => folderWith({ 'drizzle.config.json': JSON.stringify(config) })
const throwing = (text: string) => `throw new Error(${JSON.stringify(text)})\n`

/** The ways in which a URL can reach the command. */
const places: Record<string, (text: string) => ReturnType<typeof run> | Promise<ReturnType<typeof run>>> = {
  '--url': (text) => run(['sweep', '--url', text]),
  '--url=': (text) => run(['sweep', `--url=${text}`, '--quiet']),
  '--url twice': (text) => run(['sweep', '--url', text, '--url', text]),
  DATABASE_URL: (text) => run(['sweep', '--dry-run'], { env: { DATABASE_URL: text } }),
  '.env': async (text) => run(['sweep'], { cwd: await folderWith({ '.env': `DATABASE_URL=${text}\n` }) }),
  'the command': (text) => run([text]),
  'a positional argument': (text) => run(['sweep', text]),
  'an argument after --': (text) => run(['sweep', '--', text]),
  'an unknown option': (text) => run(['sweep', `--${text}`]),
  'an unknown short option': (text) => run(['sweep', `-${text}`]),
  'a value of an unknown option': (text) => run(['sweep', `--password=${text}`, text]),
  'a value of --quiet': (text) => run(['sweep', `--quiet=${text}`]),
  ...Object.fromEntries(
    ['schema', 'sessions', 'tokens', 'only', 'before', 'batch', 'pause'].map((option) => [
      `--${option}`,
      (text: string) => run(['sweep', `--${option}`, text], { env: { DATABASE_URL: 'postgres://127.0.0.1:1/db' } }),
    ]),
  ),
  'dbCredentials.url': async (text) => run(['sweep'], { cwd: await inConfig({ dialect: 'postgresql', dbCredentials: { url: text } }) }),
  'dbCredentials.host': async (text) =>
    run(['sweep'], {
      cwd: await inConfig({ dialect: 'mysql', dbCredentials: { host: text, user, password, database: 'db' } }),
    }),
  'schema of the configuration': async (text) =>
    run(['sweep', '--url', 'package.json'], {
      cwd: await folderWith({ 'package.json': '', 'drizzle.config.json': JSON.stringify({ schema: text }) }),
    }),
  'a configuration that is not JSON': async (text) => run(['sweep'], { cwd: await folderWith({ 'drizzle.config.json': text }) }),
  'an error of the configuration': async (text) =>
    run(['sweep', '--url', 'postgres://127.0.0.1:1/db'], { cwd: await folderWith({ 'drizzle.config.js': throwing(text) }) }),
  'an error of the schema': async (text) =>
    run(['sweep', '--url', 'x.db', '--schema', 'schema.mjs'], { cwd: await folderWith({ 'x.db': '', 'schema.mjs': throwing(text) }) }),
  'an import of the schema': async (text) =>
    run(['sweep', '--url', 'x.db', '--schema', 'schema.mjs'], {
      cwd: await folderWith({ 'x.db': '', 'schema.mjs': `await import(${JSON.stringify(text)})\n` }),
    }),
}

test.each(pastedUrls)('the address of %j has neither the user nor the password', (pasted) => {
  let address = ''
  try {
    address = parseUrl(pasted, '--url', import.meta.dirname).address
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
  }
  for (const secret of [user, password]) expect(address).not.toContain(secret)
})

test('the address of a URL that was read is its scheme, hosts and database', () => {
  const addressOf = (url: string) => parseUrl(url, '--url', import.meta.dirname).address
  expect(addressOf('postgres://me:pw@db.example.com/app?sslmode=require')).toBe('postgres://db.example.com/app')
  expect(addressOf('PostgreSQL://me:p@w@[::1]:5432/app')).toBe('postgresql://[::1]:5432/app')
  expect(addressOf('postgres://me@a:5432,b:5433/app')).toBe('postgres://a:5432,b:5433/app')
  expect(addressOf('libsql://me:pw@db.turso.io/path?authToken=x')).toBe('libsql://db.turso.io')
})

describe('nothing of a URL is printed', () => {
  // Drivers print through the console.
  let printed: string
  beforeEach(() => {
    printed = ''
    for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const)
      vi.spyOn(console, method).mockImplementation((...parts) => {
        printed += parts.join(' ')
      })
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        printed += text
        return true
      })
  })
  afterEach(() => vi.restoreAllMocks())

  test.each(Object.keys(places))('given as %s', async (place) => {
    for (const pasted of pastedUrls) {
      const { code, stdout, stderr } = await (places[place] as (typeof places)[string])(pasted)
      expect({ pasted, code }).not.toEqual({ pasted, code: 0 })
      const all = stdout + stderr + printed
      expect(stderr, pasted).toMatch(/^drizzle-auth-adapter: .+/m)
      for (const secret of [user, password]) expect(all.toLowerCase(), pasted).not.toContain(secret.toLowerCase())
    }
  })
})
