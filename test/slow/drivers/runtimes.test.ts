import { execFile } from 'node:child_process'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { casesFor } from 'drizzle-auth-adapter/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { commandOf } from '../../../lab/matrix/runtimes.js'
import { root } from '../../support/root.js'
import { snippets, supportFilesOfTesting } from '../../support/snippets.js'
import { memoryAdapter } from '../../unit/testing/memory.js'

// Inside the project, so that the package is found by its own name.
const folder = join(root, '.tmp', process.env.DRIZZLE === '1.0' ? 'testing-v1' : 'testing', 'snippets')

const { createVerificationToken, useVerificationToken } = memoryAdapter()
const ofLinks = casesFor({ createVerificationToken, useVerificationToken }).length

/** What a program printed. It fails where the program did. */
async function outputOf(command: string, args: string[], cwd: string): Promise<string> {
  // A test runner inside another one must not know of it.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_TEST|NODE_ENV|TEST|FORCE_COLOR)/.test(name)),
  )
  const { stdout, stderr } = await promisify(execFile)(command, args, { cwd, env: { ...env, NO_COLOR: '1' }, maxBuffer: 2 ** 26 })
  return stdout + stderr
}

describe('the snippets of docs/testing.md', () => {
  beforeAll(async () => {
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    const files = [...Object.entries(supportFilesOfTesting), ...(await snippets('docs/testing.md')).map(({ file, text }) => [file, text])]
    for (const [file = '', text = ''] of files) await writeFile(join(folder, file), text)
  })

  test('run in Vitest', { timeout: 300_000 }, async () => {
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    const files = ['adapter.test.ts', 'two-servers.test.ts', 'own-tables.test.ts']
    const output = await outputOf(process.execPath, [vitest, 'run', '--root', folder, '--no-cache', ...files], folder)
    const { adapter } = await import(join(folder, 'adapter.ts'))
    const { 'deleteUser returns the deleted user': _, ...leaveOut } = {
      storage: 'as the page does',
      'deleteUser returns the deleted user': '',
    }
    const all = casesFor(adapter).length
    const inTheLast = casesFor(adapter, { leaveOut }).length - 1
    expect(output).toMatch(new RegExp(`Tests\\s+${2 * all + inTheLast} passed \\(${2 * all + inTheLast}\\)`))
  })

  test('run in node:test', async () => {
    const output = await outputOf(process.execPath, ['--import', 'tsx', '--test', join(folder, 'links.node.ts')], root)
    expect(output).toMatch(new RegExp(`pass ${ofLinks}\\s`))
    expect(output).toMatch(/fail 0\s/)
  })

  test('run in Bun', async () => {
    const { command } = commandOf('Bun', '')
    // As the page says.
    const text = await readFile(join(folder, 'links.node.ts'), 'utf8')
    await writeFile(join(folder, 'links.bun.test.ts'), text.replace('node:test', 'bun:test'))
    const output = await outputOf(command, ['test', 'links.bun.test.ts'], folder)
    expect(output).toMatch(new RegExp(`${ofLinks} pass\\s`))
    expect(output).toMatch(/\b0 fail\s/)
  })
})
