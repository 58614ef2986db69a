import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AdapterOperationError } from 'drizzle-auth-adapter/internal'
import { describe, expect, test } from 'vitest'
import { root } from '../../../../test/support/root.js'
import { Problem } from '../../../src/commands/command.js'
import { report } from '../../../src/commands/main.js'
import { run } from '../../support/commands/app.js'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const optionsOf = {
  doctor: ['db', 'url', 'schema', 'from', 'password', 'expires-in', 'time-zone', 'json', 'strict', 'quiet'],
  init: ['library', 'dialect', 'driver', 'framework', 'dir', 'dry-run'],
  secrets: ['db', 'url', 'schema', 'sessions', 'accounts', 'only', 'check', 'yes', 'no-hmac', 'decrypt', 'batch', 'pause', 'quiet'],
  sweep: ['db', 'url', 'schema', 'sessions', 'tokens', 'only', 'before', 'batch', 'pause', 'dry-run', 'quiet'],
}

describe('the help', () => {
  test.each(['--help', '-h', 'help'])('lists the commands: %s', async (argument) => {
    const { code, stdout, stderr } = await run([argument])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of Object.keys(optionsOf)) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w+`, 'm'))
  })

  test.each(Object.entries(optionsOf))('of %s lists its options, on lines that fit a terminal', async (name, options) => {
    const { code, stdout } = await run([name, '--quiet', '--help'])
    expect(code).toBe(0)
    expect(stdout.match(/(?<=^ {2}--)[\w-]+/gm)).toEqual([...options, 'help', 'version'])
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  })
})

test('the version is that of the package', async () => {
  for (const args of [['--version'], ['sweep', '--version']])
    expect(await run(args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

// The rules for single options are in options.test.ts.
test.each([
  [[], /no command given\. Commands: doctor, generate, init, secrets, sweep;/],
  [['constructor'], /unknown command\. Commands: doctor, generate, init, secrets, sweep;/],
  [['swep', '--help'], /unknown command\. Did you mean sweep\? Commands/],
  [['doctor', '--strict=yes'], /'--strict' does not take an argument/],
  [['doctor', '--from', 'lucia'], /--from must be official or prisma or kysely or better-auth or authjs\.$/m],
  [['doctor', '--time-zone', '+02:00'], /--time-zone needs --from/],
  [['sweep'], /Pass --db or --url, set DATABASE_URL \(in the environment or in \.env\), or add dbCredentials to drizzle\.config\.ts/],
  [['sweep', '--only', 'users'], /--only must be sessions or tokens/],
  [['sweep', '--tokens', 'a b'], /--tokens must be the name of a table/],
  [['sweep', '--dry-run', '--quiet'], /--dry-run prints a count, which --quiet would hide/],
  [['secrets', '--accounts', 'a b'], /--accounts must be the name of a table/],
  [['secrets', '--check', '--quiet'], /--check prints a count, which --quiet would hide/],
  [['secrets', '--decrypt', '--only', 'sessions'], /hashing of sessions cannot be undone/],
  [['init'], /no database given\. Pass --dialect with postgresql, mysql or sqlite/],
  [['init', '--library', 'clerk', '--dialect', 'mysql'], /--library must be authjs or better-auth\./],
  [['init', '--dialect', 'oracle'], /--dialect must be postgresql or mysql or sqlite/],
  [['init', '--driver', 'odbc'], /--driver must be postgres or pg or /],
  [['init', '--framework', 'rails'], /--framework must be next or sveltekit or /],
  [['init', '--dialect', 'mysql', '--driver', 'pg'], /--driver and --dialect do not match/],
  [['init', '--driver', 'd1', '--framework', 'next'], /init cannot write an auth\.ts for D1 with Auth\.js and the framework Next\.js/],
  [['init', '--library', 'better-auth', '--driver', 'd1'], /init cannot write an auth\.ts for D1 with Better Auth/],
  [['init', '--dialect', 'mysql', '--dir', '/etc'], /--dir must be a folder inside the app/],
  [['init', '--dialect', 'mysql', '--dir', 'src/../../other'], /--dir must be a folder inside the app/],
  [['init', '--dialect', 'mysql', '--dir', 'a?b'], /--dir must be a folder inside the app/],
])('%j exits with 2 and says what is wrong', async (args, message) => {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^drizzle-auth-kit: .*\n$/)
  expect(stderr).toMatch(message)
})

test('an unexpected error is printed as its name and the locations in its stack', () => {
  const stack = [
    'Error: secret',
    '    at postgres://ada:secret@host:1:2',
    '    const secret = 1',
    '    at secret',
    '    at one (file:///srv/app/a.js:1:22)',
    '    at /srv/app/c.js:3:4',
    '    at async Promise.all (index 0)',
    '    at two (a.js:1:2) secret',
  ].join('\n')
  const printed: string[] = []
  const stderr = { write: (text: string) => printed.push(text) }
  expect(report(Object.assign(new Error('secret'), { name: 'a secret', stack }), { stderr })).toBe(1)
  expect(report('secret', { stderr })).toBe(1)
  expect(printed).toEqual([
    `drizzle-auth-kit: an unexpected error. Please report it with these lines:
    at one (file:///srv/app/a.js:1:22)
    at /srv/app/c.js:3:4
    at async Promise.all (index 0)
`,
    'drizzle-auth-kit: an unexpected string. Please report it with these lines:\n',
  ])
})

test('control characters in an error are escaped, and its own lines stay', () => {
  let printed = ''
  report(new Problem('the table a\x1b[2J\r\x9b\u2028 is wrong.\nSee --help.'), { stderr: { write: (text) => (printed += text) } })
  expect(printed).toBe('drizzle-auth-kit: the table a\\u001b[2J\\u000d\\u009b\\u2028 is wrong.\nSee --help.\n')
})

// Commands have no such option.
test.each(['unknown', 'definition'] as const)('an error of the kind %s does not advise to use onError', (kind) => {
  let printed = ''
  report(new AdapterOperationError('sweep', kind, { code: 'XX000', table: 'session' }), { stderr: { write: (text) => (printed += text) } })
  expect(printed).toMatch(/^drizzle-auth-kit: sweep: [\w ]+ \(\w[^;]*\) \[XX000\]\n$/)
})
