import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, expect, test, vi } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import type { Work } from '../../../src/cli/connection.js'
import { onDatabase } from '../../../src/cli/connection.js'
import { AdapterOperationError } from '../../../src/cli/core.js'
import type { Driver } from '../../../src/cli/drivers.js'
import { driversOf } from '../../../src/cli/drivers.js'
import { failureOf, folderWith } from './files.js'

afterEach(() => vi.restoreAllMocks())

type Given = Parameters<typeof onDatabase>[0]

/** Runs work on a new database, and gives what was printed, and how often the database was closed. */
async function on(
  given: Partial<Given>,
  work: (work: Work) => Promise<number>,
  { config, advice }: { config?: string; advice?: Parameters<typeof onDatabase>[3] } = {},
) {
  const cwd = await folderWith(config === undefined ? {} : { 'drizzle.config.json': config })
  const url = join(cwd, 'app.db')
  new Database(url).close()
  const stderr: string[] = []
  const outputs = { stdout: { write: () => expect.unreachable() }, stderr: { write: (text: string) => stderr.push(text) } }
  const end = vi.spyOn(driversOf({ scheme: 'file', dialect: 'sqlite' } as never)[0] as Driver, 'end')
  let result: unknown
  const failure = await failureOf(async () => {
    result = await onDatabase({ url, quiet: false, ...given }, { ...outputs, env: {}, cwd }, work, advice)
  })
  return { result, failure, stderr, closed: end.mock.calls.length, url }
}

test('the work is done on the database of the settings, which is closed afterwards', async () => {
  const work = vi.fn(async ({ opened, settings, say }: Work) => {
    expect(opened.dialect).toBe('sqlite')
    say(`working on ${settings.target.source}`)
    return 7
  })
  expect(await on({}, work)).toMatchObject({ result: 7, failure: 'nothing', stderr: ['working on --url\n'], closed: 1 })
  expect(work).toHaveBeenCalledOnce()
})

test('a quiet command says nothing', async () => {
  const work = async ({ say }: Work) => {
    say('working')
    return 0
  }
  expect(await on({ quiet: true }, work, { config: '{' })).toMatchObject({ result: 0, stderr: [] })
})

test('a configuration that cannot be read is mentioned, unless the tables are named by options', async () => {
  const work = async ({ settings }: Work) => (settings.unread ? 1 : 0)
  expect(await on({}, work, { config: '{' })).toMatchObject({
    result: 1,
    stderr: [expect.stringMatching(/^drizzle\.config\.json cannot be loaded.*\nIts schema is not used\.\n$/)],
  })
  expect(await on({ names: true }, work, { config: '{' })).toMatchObject({ result: 1, stderr: [] })
  expect(await on({}, work, { config: '{}' })).toMatchObject({ result: 0, stderr: [] })
})

test('a failure is told with the advice of the command, and the database is closed', async () => {
  const work = () => Promise.reject(new AdapterOperationError('sweep', 'conflict'))
  const { failure, closed } = await on({}, work, { advice: { conflict: 'Run it again.' } })
  expect(failure).toBeInstanceOf(Problem)
  expect({ failure, closed }).toMatchObject({ failure: { message: expect.stringMatching(/Run it again\.$/) }, closed: 1 })
  const error = new TypeError('no')
  expect(await on({}, () => Promise.reject(error))).toMatchObject({ failure: error })
})

test('what is prepared comes after the settings and before the database', async () => {
  const cwd = await folderWith({ '.env': 'AUTH_TOKEN_KEYS=x\n', 'app.db': '' })
  const env: Record<string, string> = {}
  const problem = new Problem('not these keys', 2)
  const load = vi.spyOn(driversOf({ scheme: 'file', dialect: 'sqlite' } as never)[0] as Driver, 'load')
  const output = { write: () => expect.unreachable() }
  const run = () =>
    onDatabase(
      { url: 'app.db', quiet: false },
      { stdout: output, stderr: output, env, cwd },
      () => expect.unreachable(),
      {},
      ({ target }) => {
        expect(target.url).toBe(join(cwd, 'app.db'))
        expect(env.AUTH_TOKEN_KEYS).toBe('x')
        throw problem
      },
    )
  expect(await failureOf(run)).toBe(problem)
  expect(load).not.toHaveBeenCalled()
})
