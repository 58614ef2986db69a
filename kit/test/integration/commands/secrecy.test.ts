import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { folderWith, run } from '../../support/commands/app.js'

const user = 'LeakyUser'
const password = 'TopSecret'
const login = `${user}:${password}@127.0.0.1:1`

/** URLs as people paste them, valid and invalid ones. Nothing listens on port 1. */
const pastedUrls: string[] = [
  `postgres://${login}/db`,
  `postgresql://${login}/db?sslmode=${password}&application_name=${password}`,
  `postgres://${user}:${password}@127.0.0.1:1,127.0.0.1:2/db?target_session_attrs=${password}`,
  `'postgres://${login}/db`,
  `\ufeffpostgres://${login}/db`,
  `psql 'postgres://${login}/db'`,
  `export DATABASE_URL="postgres://${login}/db"`,
  `postgress://${login}/db`,
  `postgres:/${login}/db`,
  `postgres:///${login}/db`,
  `${login}/db`,
  `postgres://${user}:12/${password}@127.0.0.1:1/db`,
  `postgres://${user}:12#${password}@127.0.0.1:1/db`,
  `postgres://${user}:12?${password}@127.0.0.1:1/db`,
  `postgres://${user}:${password}%@127.0.0.1:1/db`,
  `postgres://${user}:${password}\n@127.0.0.1:1/db`,
  `postgres://${user}:${password}@127.0.0.1:port/db`,
  `postgres://${user}:${password}@/db`,
  `mysql://${login}/db?${password}=1&timezone=${password}&charset=${password}&debug=true`,
  `mysql://${login}/db?ssl=${password}`,
  `mysql://${login}`,
  `mariadb://${user}:${password}@127.0.0.1:1,127.0.0.1:2/db`,
  `${user}:${password}@tcp(127.0.0.1:1)/db`,
  `jdbc:mysql://127.0.0.1:1/db?user=${user}&password=${password}`,
  `libsql://${login}?authToken=${password}`,
  `https://127.0.0.1:1/${user}/${password}`,
  `file://${login}/db`,
  `file:app.db?user=${user}&key=${password}`,
  `host=127.0.0.1 user=${user} password=${password}`,
]

const url = 'postgres://127.0.0.1:1/db'
const inConfig = (config: object) => folderWith({ 'drizzle.config.json': JSON.stringify(config) })
const throwing = (text: string) => `throw new Error(${JSON.stringify(text)})\n`

/** Sweeps with a schema file of this text. */
const withSchema = async (text: string) =>
  run(['sweep', '--url', 'x.db', '--schema', 'schema.mjs'], { cwd: await folderWith({ 'x.db': '', 'schema.mjs': text }) })

/** Other places in which a URL can end up by mistake. */
const places: Record<string, (text: string) => ReturnType<typeof run> | Promise<ReturnType<typeof run>>> = {
  '.env': async (text) => run(['sweep'], { cwd: await folderWith({ '.env': `DATABASE_URL=${text}\n` }) }),
  'the command': (text) => run([text]),
  'a positional argument': (text) => run(['sweep', text]),
  '--db': (text) => run(['sweep', '--db', text]),
  'an error of the file of --db': async (text) => run(['sweep', '--db', 'db.mjs'], { cwd: await folderWith({ 'db.mjs': throwing(text) }) }),
  'an unknown option': (text) => run(['sweep', `--${text}`]),
  'a value of an unknown option': (text) => run(['sweep', `--password=${text}`, text]),
  'a value of --quiet': (text) => run(['sweep', `--quiet=${text}`]),
  'init --dir': (text) => run(['init', '--dialect', 'mysql', '--dry-run', '--dir', text]),
  ...Object.fromEntries(
    ['schema', 'sessions', 'tokens', 'only', 'before', 'batch', 'pause'].map((option) => [
      `--${option}`,
      (text: string) => run(['sweep', `--${option}`, text], { env: { DATABASE_URL: url } }),
    ]),
  ),
  'dbCredentials.url': async (text) => run(['sweep'], { cwd: await inConfig({ dialect: 'postgresql', dbCredentials: { url: text } }) }),
  'dbCredentials.host': async (text) =>
    run(['sweep'], { cwd: await inConfig({ dialect: 'mysql', dbCredentials: { host: text, user, password, database: 'db' } }) }),
  'a configuration that is not JSON': async (text) => run(['sweep'], { cwd: await folderWith({ 'drizzle.config.json': text }) }),
  'an error of the configuration': async (text) =>
    run(['sweep', '--url', url], { cwd: await folderWith({ 'drizzle.config.js': throwing(text) }) }),
  'an error of the schema': (text) => withSchema(throwing(text)),
  'the name of an error': (text) => withSchema(`throw Object.assign(new Error(), { name: ${JSON.stringify(text)} })\n`),
  'an import of the schema': (text) => withSchema(`await import(${JSON.stringify(text)})\n`),
}

describe('nothing of a URL is printed', () => {
  let printed: string
  beforeEach(() => {
    printed = ''
    // cli.ts silences the console: process.once.test.ts.
    for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) vi.spyOn(console, method).mockImplementation(() => {})
    for (const stream of [process.stdout, process.stderr])
      vi.spyOn(stream, 'write').mockImplementation((text) => {
        printed += text
        return true
      })
  })
  afterEach(() => vi.restoreAllMocks())

  async function expectSecrecy(text: string, runWith: (text: string) => ReturnType<typeof run> | Promise<ReturnType<typeof run>>) {
    const { code, stdout, stderr } = await runWith(text)
    expect({ text, code }).not.toEqual({ text, code: 0 })
    expect(stderr, text).toMatch(/^drizzle-auth-kit: .+/m)
    for (const secret of [user, password]) expect((stdout + stderr + printed).toLowerCase(), text).not.toContain(secret.toLowerCase())
  }

  test.each(pastedUrls)('%j as --url or DATABASE_URL', async (pasted) => {
    await expectSecrecy(pasted, (text) => run(['sweep', '--url', text]))
    await expectSecrecy(pasted, (text) => run(['doctor'], { env: { DATABASE_URL: text } }))
  })

  test.each(Object.entries(places))('given as %s', async (_title, runWith) => {
    for (const pasted of [`postgres://${login}/db`, `mysql://${login}/db?ssl=${password}`, `${user}:${password}@tcp(127.0.0.1:1)/db`])
      await expectSecrecy(pasted, runWith)
  })
})
