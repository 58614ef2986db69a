import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { root } from '../support/root.js'
import { findPort } from '../support/servers/port.js'
import { statusOf, strangeTargets } from '../support/targets.js'
import { openDatabase } from './database.js'

const teardown: (() => Promise<unknown>)[] = []

/** Starts the demo as `npm start` does after its build. */
function startDemo(variables: Record<string, string>) {
  const env = { ...process.env, DATABASE_URL: 'file::memory:', ...variables }
  const child = spawn(process.execPath, ['--import', 'tsx', 'demo/index.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit').then(([code]) => code as number)
  teardown.push(() => {
    child.kill()
    return ended
  })
  const printed = { output: '', errors: '' }
  child.stdout.on('data', (chunk) => {
    printed.output += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.errors += chunk
  })
  return { child, ended, printed }
}

describe('the start of the demo', () => {
  afterEach(async () => {
    for (const stop of teardown.splice(0)) await stop()
  })

  test.each(inject('dialects'))('on %s applies the migrations, prints its address, and runs until it is stopped', async (dialect) => {
    const database = await openDatabase(dialect, { migrations: [] })
    try {
      const port = await findPort()
      const { child, ended, printed } = startDemo({ PORT: String(port), DATABASE_URL: database.url })
      await expect.poll(() => printed.output, { timeout: 45_000 }).toContain(`The demo runs at http://localhost:${port}`)
      expect(printed.output).toContain('the migrations are applied')
      expect(await database.users()).toEqual([])
      expect((await fetch(`http://localhost:${port}`)).status).toBe(200)
      expect(printed.errors).toBe('')
      child.kill()
      expect(await ended).toBe(0)
    } finally {
      for (const stop of teardown.splice(0)) await stop()
      await database.close()
    }
  })

  test('leads to a server that sends links to its own host only', async () => {
    const port = await findPort()
    const { printed } = startDemo({ PORT: String(port) })
    await expect.poll(() => printed.output, { timeout: 45_000 }).toContain('The demo runs')
    const origin = `http://localhost:${port}`
    const mailbox = async () => (await fetch(`${origin}/mailbox`)).text()
    const form = { email: 'ada@example.com' }
    for (const target of strangeTargets('/auth/signin/nodemailer')) {
      expect(await statusOf(origin, target, { form, headers: { origin } }), target).toBe(400)
      expect(await statusOf(origin, target), target).toBe(400)
    }
    expect(await mailbox()).not.toContain('ada@example.com')
    expect(await statusOf(origin, '/auth/signin/nodemailer', { form, headers: { origin } })).toBe(302)
    await expect.poll(mailbox).toContain(`${origin}/confirm#`)
    expect(printed.errors).toBe('')
  })

  test('says that the port is taken', async () => {
    const PORT = String(await findPort())
    const first = startDemo({ PORT })
    await expect.poll(() => first.printed.output, { timeout: 45_000 }).toContain('The demo runs')
    const second = startDemo({ PORT })
    expect(await second.ended).toBe(1)
    expect(second.printed.errors).toContain(`Port ${PORT} is taken. Choose another one: PORT=${Number(PORT) + 1} npm start`)
    expect(second.printed.errors).not.toContain(' at ')
  })

  test.each([
    [{ DATABASE_URL: 'postgres://localhost:1/nothing' }, /ECONNREFUSED/],
    [{ DATABASE_URL: 'oracle://localhost/nothing' }, /DATABASE_URL must begin with/],
  ])('says what is wrong with %o', async (variables, message) => {
    const { ended, printed } = startDemo({ PORT: '0', ...variables })
    expect(await ended).toBe(1)
    expect(printed.errors).toMatch(message)
    expect(printed.errors).toContain('The demo cannot start: ')
    expect(printed.errors).not.toContain('    at ')
  })
})
