import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { root } from '../../support/root.js'
import { findPort } from '../../support/servers/port.js'
import { statusOf, strangeTargets } from '../../support/targets.js'
import { openBetterAuthDatabase, openDatabase } from './database.js'

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

  const libraries = [
    { LIBRARY: 'authjs', open: openDatabase, other: 'better-auth' },
    { LIBRARY: 'better-auth', open: openBetterAuthDatabase, other: 'authjs' },
  ] as const
  const starts = inject('dialects').flatMap((dialect) => libraries.map((library) => ({ dialect, ...library })))

  test.each(starts)('with $LIBRARY on $dialect applies the migrations and runs until it is stopped', async (start) => {
    const { dialect, LIBRARY, open, other } = start
    const database = await open(dialect, { migrations: [] })
    try {
      const port = await findPort()
      const { child, ended, printed } = startDemo({ PORT: String(port), DATABASE_URL: database.url, LIBRARY })
      await expect.poll(() => printed.output, { timeout: 45_000 }).toContain(`The demo runs at http://localhost:${port}`)
      expect(printed.output).toContain('the migrations are applied')
      expect(await database.users()).toEqual([])
      expect((await fetch(`http://localhost:${port}`)).status).toBe(200)
      expect(printed.errors).toBe('')
      child.kill()
      expect(await ended).toBe(0)

      // Both libraries have tables of the same names.
      const second = startDemo({ PORT: '0', DATABASE_URL: database.url, LIBRARY: other })
      expect(await second.ended).toBe(1)
      expect(second.printed.errors).toMatch(/already exists.*Auth\.js and Better Auth need a database each/)
      expect(await database.users()).toEqual([])
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

  test('with Better Auth leads to a server that sends links to its own host only', async () => {
    const port = await findPort()
    const { printed } = startDemo({ PORT: String(port), LIBRARY: 'better-auth' })
    await expect.poll(() => printed.output, { timeout: 45_000 }).toContain('The demo runs')
    const origin = `http://localhost:${port}`
    const mailbox = async () => (await fetch(`${origin}/mailbox`)).text()
    const form = { email: 'ada@example.com', password: 'correct horse battery', create: 'yes' }
    for (const target of strangeTargets('/sign-in')) expect(await statusOf(origin, target, { form, headers: { origin } }), target).toBe(400)
    for (const target of strangeTargets('/auth/get-session')) expect(await statusOf(origin, target), target).toBe(400)
    // Another host is redirected, whatever a proxy claims.
    const headers = { origin, host: 'evil.example', 'x-forwarded-host': 'evil.example' }
    expect(await statusOf(origin, '/sign-in', { form, headers })).toBe(302)
    expect(await mailbox()).not.toContain('ada@example.com')
    const forwarded = { origin, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    expect(await statusOf(origin, '/sign-in', { form, headers: forwarded })).toBe(303)
    await expect.poll(mailbox).toContain(`${origin}/auth/verify-email?token=`)
    expect(await mailbox()).not.toContain('evil.example')
    expect(printed.errors).toBe('')
  })
})
