import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from './app.js'

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()

describe('the command line', () => {
  test('has a help text', async () => {
    const { code, stdout, stderr } = await run(['--help'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('sweep')
    expect(await run(['help'])).toEqual({ code, stdout, stderr })
    expect(await run(['-h'])).toEqual({ code, stdout, stderr })
    const sweep = await run(['sweep', '--help'])
    for (const option of ['url', 'schema', 'sessions', 'tokens', 'only', 'before', 'batch', 'pause', 'dry-run', 'quiet', 'help', 'version'])
      expect(sweep.stdout).toContain(`  --${option} `)
  })

  test('prints its version', async () => {
    const version = { code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/), stderr: '' }
    expect(await run(['--version'])).toEqual(version)
    expect(await run(['sweep', '--version'])).toEqual(version)
  })

  const wrong: [string[], RegExp][] = [
    [[], /a command is missing\. Commands: doctor, init, secrets, sweep/],
    [['swep'], /the first argument is not a command\. Commands: doctor, init, secrets, sweep/],
    [['constructor'], /the first argument is not a command/],
    [['sweep'], /Pass --url, set DATABASE_URL \(also in a file \.env\), or add dbCredentials to drizzle\.config\.ts/],
    [['sweep', '--url'], /--url needs a value/],
    [['sweep', '--url='], /--url needs a value/],
    [['sweep', '--url', '--quiet'], /--url needs a value/],
    [['sweep', '--url', 'oracle://host/x'], /--url is neither a URL of a known kind nor a file\. Expected postgres:/],
    [['sweep', '--url', 'nowhere.db'], /--url is neither a URL of a known kind nor a file/],
    [['sweep', '--url', 'postgres://host:port/x'], /--url is not a valid URL\. Expected scheme:/],
    [['sweep', '--url', 'mysql://host'], /--url names no database/],
    [['sweep', '--quiet', '--bath', '3'], /argument 2 after the command is not one of its options\. --help lists them/],
    [['sweep', 'file:x.db'], /argument 1 after the command is not one of its options/],
    [['sweep', '--', 'x'], /argument 1 after the command is not one of its options/],
    [['sweep', '-q'], /argument 1 after the command is not one of its options/],
    [['sweep', '--quiet=yes'], /--quiet takes no value/],
    [['sweep', '--batch', '-1'], /--batch needs a value/],
    [['sweep', '--batch=-1'], /--batch takes a whole number, 1 or more/],
    [['sweep', '--batch', '0'], /--batch takes a whole number, 1 or more/],
    [['sweep', '--batch', 'many'], /--batch takes a whole number, 1 or more/],
    [['sweep', '--batch', '9007199254740993'], /--batch takes a whole number, 1 or more/],
    [['sweep', '--pause', '2147483648'], /--pause takes a whole number from 0 to 2147483647/],
    [['sweep', '--pause', '1.5'], /--pause takes a whole number from 0 to/],
    [['sweep', '--before', 'then'], /--before takes a date such as/],
    [['sweep', '--before', '1'], /--before takes a date such as/],
    [['sweep', '--before', '2026-99-01'], /--before takes a date such as/],
    [['sweep', '--before', tomorrow], /--before takes a date that is not in the future/],
    [['sweep', '--only', 'users'], /--only takes sessions or tokens/],
    [['sweep', '--sessions', 'a.b.c'], /--sessions takes the name of a table/],
    [['sweep', '--tokens', 'drop table'], /--tokens takes the name of a table/],
    [['init'], /which database\? Pass --dialect with postgresql, mysql or sqlite/],
    [['init', '--dialect', 'oracle'], /--dialect takes postgresql or mysql or sqlite/],
    [['init', '--driver', 'odbc'], /--driver takes postgres or pg or /],
    [['init', '--framework', 'rails'], /--framework takes next or sveltekit or /],
    [['init', '--dialect', 'mysql', '--driver', 'pg'], /--driver is one of another dialect than --dialect/],
    [['init', '--dialect', 'mysql', '--dir', '/etc'], /--dir takes a folder of the app/],
    [['init', '--dialect', 'mysql', '--dir', '../other'], /--dir takes a folder of the app/],
    [['init', '--dialect', 'mysql', '--dir', 'mysql://me:secret@host/x'], /--dir takes a folder of the app, such as src\/server\.\n$/],
    [['init', '--driver', 'd1', '--framework', 'next'], /init cannot write an auth\.ts for D1 with Next\.js/],
    [['sweep', '--dry-run', '--quiet'], /--dry-run prints a count, which --quiet would hide/],
  ]

  test.each(wrong)('%j exits with 2 and says what is wrong', async (args, message) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr).toMatch(/^drizzle-auth-adapter: .*\n$/)
  })

  test('does not create a database file', async () => {
    expect(await run(['sweep', '--url', 'file:nowhere.db'])).toMatchObject({ code: 2 })
    await expect(access(join(import.meta.dirname, 'nowhere.db'))).rejects.toThrow('ENOENT')
  })

  test('accepts the largest and the smallest numbers', async () => {
    const numbers = ['--batch', '9007199254740991', '--pause', '0', '--before', '2026-01-31T12:00:00Z']
    expect(await run(['sweep', '--url', 'nowhere.db', ...numbers])).toMatchObject({ stderr: expect.stringContaining('--url is neither') })
  })
})
