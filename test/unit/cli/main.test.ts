import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import { AdapterConfigError, AdapterOperationError } from '../../../src/cli/core.js'
import { main, report } from '../../../src/cli/main.js'
import { root } from '../../support/root.js'

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

async function run(...args: string[]) {
  const printed = { stdout: '', stderr: '' }
  const output = (name: keyof typeof printed) => ({ write: (text: string) => (printed[name] += text) })
  const code = await main(args, { stdout: output('stdout'), stderr: output('stderr'), env: {}, cwd: import.meta.dirname })
  return { code, ...printed }
}

function reported(error: unknown) {
  let text = ''
  const code = report(error, { stderr: { write: (more) => (text += more) } })
  return { code, text }
}

describe('the help', () => {
  test.each(['--help', '-h', 'help'])('of the command line is printed by %s', async (argument) => {
    const { code, stdout, stderr } = await run(argument)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const name of ['doctor', 'init', 'secrets', 'sweep']) expect(stdout).toMatch(new RegExp(`^  ${name} +\\w+`, 'm'))
    expect(await run(argument, '--version')).toMatchObject({ code: 0, stdout })
  })

  test.each(['doctor', 'init', 'secrets', 'sweep'])('of %s is printed wherever it is asked for', async (name) => {
    const { code, stdout, stderr } = await run(name, '--help')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(new RegExp(`^Usage: drizzle-auth-adapter ${name} \\[options\\]`))
    for (const args of [['-h'], ['--quiet', '--help'], ['--help', '--version'], ['--unknown', '-h']])
      expect((await run(name, ...args)).stdout).toBe(stdout)
  })
})

test('the version is that of the package', async () => {
  for (const args of [['--version'], ['sweep', '--version'], ['doctor', '--quiet', '--version']])
    expect(await run(...args)).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

test.each([
  [[], /^drizzle-auth-adapter: a command is missing\. Commands: doctor, init, secrets, sweep;/],
  [['secret'], /^drizzle-auth-adapter: the first argument is not a command\. Commands: doctor, init, secrets, sweep;/],
  [['secret', '--help'], /the first argument is not a command/],
  [['constructor'], /the first argument is not a command/],
  [['sweep', 'secret'], /^drizzle-auth-adapter: argument 1 after the command/],
])('%j is wrong usage', async (args, message) => {
  const { code, stdout, stderr } = await run(...args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(message)
  expect(stderr.replace('secrets', '')).not.toContain('secret')
})

describe('a failure', () => {
  test.each([
    [new Problem('do this'), 1, 'do this'],
    [new Problem('do that', 2), 2, 'do that'],
    [new AdapterConfigError('no such table'), 2, 'no such table'],
    [new AdapterOperationError('sweep', 'full'), 1, 'sweep: the database is full'],
  ])('%s is told with its message', (error, code, message) => {
    expect(reported(error)).toEqual({ code, text: `drizzle-auth-adapter: ${message}\n` })
  })

  test('that nobody expected is told without its message, and with the places of the code', () => {
    const error = Object.assign(new TypeError('secret'), { detail: 'secret' })
    const { code, text } = reported(error)
    expect(code).toBe(1)
    expect(text).not.toContain('secret')
    const [first, ...frames] = text.trimEnd().split('\n')
    expect(first).toMatch(/^drizzle-auth-adapter: an unexpected TypeError\. Please report it/)
    expect(frames.length).toBeGreaterThan(0)
    expect(frames[0]).toMatch(/^ {4}at .*main\.test\.ts:\d+:\d+\)?$/)
  })

  test('shows no line of a stack but places', () => {
    const stack = [
      'Error: secret',
      '    at postgres://ada:secret@host:1:2',
      '    const secret = 1',
      '    at secret',
      'x    at secret (a.js:1:2)',
      '    at one (file:///srv/app/a.js:1:22)',
      '    at file:///srv/app/b.js:11:2',
      '    at /srv/app/c.js:3:4',
      '    at async Promise.all (index 0)',
      '    at two (a.js:1:2) secret',
    ].join('\n')
    const { text } = reported(Object.assign(new Error('secret'), { stack }))
    expect(text.trimEnd().split('\n').slice(1)).toEqual([
      '    at one (file:///srv/app/a.js:1:22)',
      '    at file:///srv/app/b.js:11:2',
      '    at /srv/app/c.js:3:4',
      '    at async Promise.all (index 0)',
    ])
  })

  test.each([
    ['secret', 'an unexpected string'],
    [undefined, 'an unexpected undefined'],
    [Object.assign(new Error('secret'), { name: 'my secret', stack: undefined }), 'an unexpected error'],
    [Object.assign(new Error('secret'), { name: 'secret!', stack: 'secret' }), 'an unexpected error'],
  ])('may be anything: %s', (error, text) => {
    expect(reported(error)).toEqual({ code: 1, text: `drizzle-auth-adapter: ${text}. Please report it with these lines:\n` })
  })
})
