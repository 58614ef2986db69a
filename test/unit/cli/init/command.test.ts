import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../../../src/cli/command.js'
import { init } from '../../../../src/cli/init.js'
import { failureOf, folderWith } from '../files.js'

// The command itself: its options, and the files that it reads and writes.

async function runIn(cwd: string, args: string[]) {
  let stdout = ''
  const output = {
    write: (text: string) => {
      stdout += text
    },
  }
  const code = await init.run(args, { cwd, env: {}, stdout: output, stderr: { write: () => expect.fail('nothing goes to stderr') } })
  return { code, stdout }
}

const express = JSON.stringify({ type: 'module', dependencies: { express: '5', pg: '8' } })

describe('the help', () => {
  test('names each option and what it takes', () => {
    for (const option of ['--dialect', '--driver', '--framework', '--dir', '--dry-run']) expect(init.help).toContain(`\n  ${option} `)
    for (const value of ['postgresql, mysql, sqlite', '@planetscale/database', 'd1', 'next, sveltekit, hono, express, none'])
      expect(init.help).toContain(value)
    expect(init.summary).toContain('sets up an app')
  })

  test('fits a terminal, and continues the list of the drivers below its beginning', () => {
    const lines = init.help.split('\n')
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    const [first, second] = lines.slice(lines.findIndex((line) => line.includes('--driver')))
    expect(first).toMatch(/^ {2}--driver NAME {6}postgres, pg, .*,$/)
    expect(second).toMatch(/^ {21}[@\w].*d1$/)
  })
})

describe('--dir', () => {
  test.each(['/etc', '..', '../other', 'src/../../other', 'postgres://root:TopSecret@localhost/app', 'mysql:TopSecret'])(
    'cannot be %s, and the message does not repeat it',
    async (dir) => {
      const cwd = await folderWith({ 'package.json': express })
      const failure = (await failureOf(() => runIn(cwd, ['--dir', dir]))) as Problem
      expect(failure).toBeInstanceOf(Problem)
      expect(failure.exitCode).toBe(2)
      expect(failure.message).toContain('--dir takes a folder of the app')
      expect(failure.message).not.toContain(dir === '..' ? '../' : dir)
      expect(await readdir(cwd)).toEqual(['package.json'])
    },
  )

  test.each(['src/server', './lib', 'src/../lib', 'a/b/c'])('can be %s', async (dir) => {
    const cwd = await folderWith({ 'package.json': express })
    expect(await runIn(cwd, ['--dir', dir])).toMatchObject({ code: 0 })
    expect((await readdir(join(cwd, dir))).sort()).toEqual(['auth.js', 'schema.js'])
  })
})

describe('the files', () => {
  test('are written with what is printed for --dry-run', async () => {
    const cwd = await folderWith({ 'package.json': express, 'src/app.js': '' })
    const dry = await runIn(cwd, ['--dry-run'])
    expect([dry.code, (await readdir(cwd)).sort(), await readdir(join(cwd, 'src'))]).toEqual([0, ['package.json', 'src'], ['app.js']])
    const { code, stdout } = await runIn(cwd, [])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Found\n[\s\S]*\nWritten\n {2}src\/schema\.js\n {2}drizzle\.config\.js\n {2}src\/auth\.js\n\nNext\n/)
    for (const file of ['src/schema.js', 'drizzle.config.js', 'src/auth.js']) {
      const text = (await readFile(join(cwd, file), 'utf8')).replace(/^(?=.)/gm, '    ')
      expect(dry.stdout).toContain(`  ${file}\n\n${text}`)
    }
  })

  test('that cannot be written are named, with the reason', async () => {
    const cwd = await folderWith({ 'package.json': express, server: 'a file where the folder would be' })
    const failure = (await failureOf(() => runIn(cwd, ['--dir', 'server']))) as Problem
    expect(failure).toBeInstanceOf(Problem)
    expect(failure.exitCode).toBe(1)
    expect(failure.message).toMatch(/^server\/schema\.js cannot be written \[(EEXIST|ENOTDIR)\]\.$/)
  })

  test('that are there are not written over, even if they cannot be read', async () => {
    // A link to a file that is missing: it cannot be read, but could be written through.
    const cwd = await folderWith({ 'package.json': express })
    await symlink(join(cwd, 'elsewhere.js'), join(cwd, 'auth.js'))
    const failure = (await failureOf(() => runIn(cwd, []))) as Problem
    expect(failure.message).toMatch(/^auth\.js cannot be written \[EEXIST\]\.$/)
    expect(await readdir(cwd)).not.toContain('elsewhere.js')
  })
})

describe('the variables', () => {
  const env = 'DATABASE_URL=TopSecret\nAUTH_SECRET=TopSecret\n'

  test('are read from .env, and not shown', async () => {
    const { stdout } = await runIn(await folderWith({ 'package.json': express, '.env': env, '.dev.vars': '' }), [])
    expect(stdout).not.toMatch(/TopSecret|DATABASE_URL=|AUTH_SECRET=/)
    expect((await runIn(await folderWith({ 'package.json': express, '.dev.vars': env }), [])).stdout).toContain('AUTH_SECRET=')
  })

  test('for D1 are read from .dev.vars', async () => {
    const hono = JSON.stringify({ dependencies: { hono: '4' } })
    const files = { 'package.json': hono, 'wrangler.toml': '[[d1_databases]]' }
    expect((await runIn(await folderWith({ ...files, '.dev.vars': env }), [])).stdout).not.toMatch(/TopSecret|AUTH_SECRET=/)
    expect((await runIn(await folderWith({ ...files, '.env': env }), [])).stdout).toContain('AUTH_SECRET=')
  })
})

test.each([
  [['--dialect', 'mysql'], 'MySQL'],
  [['--driver', 'mysql2'], 'mysql2 (--driver)'],
  [['--framework', 'hono'], 'Hono (--framework)'],
])('%j is taken in place of what package.json says', async (args, found) => {
  expect((await runIn(await folderWith({ 'package.json': express }), [...args, '--dry-run'])).stdout).toContain(found)
})
