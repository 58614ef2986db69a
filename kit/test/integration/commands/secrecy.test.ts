import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { folderWith, run } from '../../support/commands/app.js'

const user = 'LeakyUser'
const password = 'TopSecret'
const login = `${user}:${password}@127.0.0.1:1`

/** URLs as people paste them, valid and invalid ones. Nothing listens on port 1. */
const pastedUrls: string[] = [
  `postgresql://${login}/db?sslmode=${password}&application_name=${password}`,
  `postgres://${user}:${password}@127.0.0.1:1,127.0.0.1:2/db?target_session_attrs=${password}`,
  `\ufeffpostgres://${login}/db`,
  `psql 'postgres://${login}/db'`,
  `postgress://${login}/db`,
  `postgres:///${login}/db`,
  `postgres://${user}:12/${password}@127.0.0.1:1/db`,
  `postgres://${user}:12?${password}@127.0.0.1:1/db`,
  `postgres://${user}:${password}\n@127.0.0.1:1/db`,
  `mysql://${login}/db?${password}=1&timezone=${password}&charset=${password}&debug=true`,
  `mysql://${login}/db?ssl=${password}`,
  `mariadb://${user}:${password}@127.0.0.1:1,127.0.0.1:2/db`,
  `${user}:${password}@tcp(127.0.0.1:1)/db`,
  `libsql://${login}?authToken=${password}`,
  `https://127.0.0.1:1/${user}/${password}`,
  `file:app.db?user=${user}&key=${password}`,
]

const url = 'postgres://127.0.0.1:1/db'
const inFile = async (name: string, text: string, ...args: string[]) => run(args, { cwd: await folderWith({ 'x.db': '', [name]: text }) })
const inConfig = (config: object) => inFile('drizzle.config.json', JSON.stringify(config), 'sweep')
const inSchema = (text: string) => inFile('schema.mjs', text, 'sweep', '--url', 'x.db', '--schema', 'schema.mjs')
const throwing = (text: string) => `throw new Error(${JSON.stringify(text)})\n`

/** Other places in which a URL can end up by mistake. */
const places: Record<string, (text: string) => ReturnType<typeof run>> = {
  '.env': (text) => inFile('.env', `DATABASE_URL=${text}\n`, 'sweep'),
  'the command': (text) => run([text]),
  'a positional argument': (text) => run(['sweep', text]),
  '--db': (text) => run(['sweep', '--db', text]),
  'an error of the file of --db': (text) => inFile('db.mjs', throwing(text), 'sweep', '--db', 'db.mjs'),
  'an unknown option': (text) => run(['sweep', `--${text}`]),
  'a value of an unknown option': (text) => run(['sweep', `--password=${text}`, text]),
  'a value of --quiet': (text) => run(['sweep', `--quiet=${text}`]),
  'init --dir': (text) => run(['init', '--dialect', 'mysql', '--dry-run', '--dir', text]),
  'dbCredentials.url': (text) => inConfig({ dialect: 'postgresql', dbCredentials: { url: text } }),
  'dbCredentials.host': (text) => inConfig({ dialect: 'mysql', dbCredentials: { host: text, user, password, database: 'db' } }),
  'a configuration that is not JSON': (text) => inFile('drizzle.config.json', text, 'sweep'),
  'an error of the configuration': (text) => inFile('drizzle.config.js', throwing(text), 'sweep', '--url', url),
  'an error of the schema': (text) => inSchema(throwing(text)),
  'the name of an error': (text) => inSchema(`throw Object.assign(new Error(), { name: ${JSON.stringify(text)} })\n`),
  'an import of the schema': (text) => inSchema(`await import(${JSON.stringify(text)})\n`),
}
for (const option of ['schema', 'sessions', 'only', 'before', 'batch'])
  places[`--${option}`] = (text) => run(['sweep', `--${option}`, text], { env: { DATABASE_URL: url } })

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

  async function expectSecrecy(text: string, runWith: (text: string) => ReturnType<typeof run>) {
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
    for (const pasted of [`mysql://${login}/db?ssl=${password}`, `${user}:${password}@tcp(127.0.0.1:1)/db`])
      await expectSecrecy(pasted, runWith)
  })
})
