import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, inject, test } from 'vitest'
import { root } from '../../support/root.js'
import { findPort } from '../../support/servers/port.js'
import { statusOf, strangeTargets } from '../../support/targets.js'
import { openBetterAuthDatabase, openDatabase } from './database.js'

const teardown: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const stop of teardown.splice(0).reverse()) await stop()
})

/** Starts the demo as `npm start` does after its build. */
function startDemo(variables: Record<string, string>) {
  const env = { ...process.env, DATABASE_URL: 'file::memory:', ...variables }
  const child = spawn(process.execPath, ['--import', 'tsx', 'demo/index.ts'], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit').then(([code]) => code as number)
  const printed = { output: '', errors: '' }
  child.stdout.on('data', (chunk) => {
    printed.output += chunk
  })
  child.stderr.on('data', (chunk) => {
    printed.errors += chunk
  })
  teardown.push(() => {
    child.kill()
    return ended
  })
  return { child, ended, printed }
}

async function startOnPort(variables: Record<string, string>) {
  const origin = `http://localhost:${await findPort()}`
  const demo = startDemo({ PORT: new URL(origin).port, ...variables })
  await expect.poll(() => demo.printed.output, { timeout: 45_000 }).toContain(`The demo runs at ${origin}`)
  return { ...demo, origin }
}

describe('the start of the demo', () => {
  const libraries = [
    { LIBRARY: 'authjs', open: openDatabase, other: 'better-auth' },
    { LIBRARY: 'better-auth', open: openBetterAuthDatabase, other: 'authjs' },
  ] as const
  const starts = inject('dialects').flatMap((dialect) => libraries.map((library) => ({ dialect, ...library })))

  test.each(starts)('with $LIBRARY on $dialect applies the migrations and runs until it is stopped', async (start) => {
    const { dialect, LIBRARY, open, other } = start
    const database = await open(dialect, { migrations: [] })
    teardown.push(database.close)
    const { child, ended, printed, origin } = await startOnPort({ DATABASE_URL: database.url, LIBRARY })
    expect(printed.output).toContain('the migrations are applied')
    expect(await database.users()).toEqual([])
    expect((await fetch(origin)).status).toBe(200)
    expect(printed.errors).toBe('')
    child.kill()
    expect(await ended).toBe(0)

    // Both libraries have tables of the same names.
    const second = startDemo({ PORT: '0', DATABASE_URL: database.url, LIBRARY: other })
    expect(await second.ended).toBe(1)
    expect(second.printed.errors).toMatch(/already exists.*Auth\.js and Better Auth need a database each/)
    expect(await database.users()).toEqual([])
  })

  const email = 'ada@example.com'
  test.each([
    { LIBRARY: 'authjs', path: '/auth/signin/nodemailer', form: { email }, status: 302, link: '/confirm#' },
    {
      LIBRARY: 'better-auth',
      path: '/sign-in',
      form: { email, password: 'correct horse battery', create: 'yes' },
      status: 303,
      link: '/auth/verify-email?token=',
    },
  ])('with $LIBRARY leads to a server that sends links to its own host only', async ({ LIBRARY, path, form, status, link }) => {
    const { origin, printed } = await startOnPort({ LIBRARY })
    const mailbox = async () => (await fetch(`${origin}/mailbox`)).text()
    const headers = { origin }
    for (const target of strangeTargets(path)) {
      expect(await statusOf(origin, target, { form, headers }), target).toBe(400)
      expect(await statusOf(origin, target), target).toBe(400)
    }
    expect(await mailbox()).not.toContain(email)
    const forwarded = { ...headers, 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    expect(await statusOf(origin, path, { form, headers: forwarded })).toBe(status)
    await expect.poll(mailbox).toContain(origin + link)
    expect(await mailbox()).not.toContain('evil.example')
    expect(printed.errors).toBe('')
  })
})
