import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { installedApp, start } from '../../../kit/test/commands/app.js'
import { inAnHour, keys, pairsOf, secretsOf, tokensOf } from './modes.js'
import type { AnyAdapter, Person, Store } from './stores.js'
import { openStore, signUp } from './stores.js'

const people = 120
const kills = 2
const env = { AUTH_TOKEN_KEYS: pairsOf(...keys) }

describe.each(inject('dialects'))('a live database on %s', (dialect) => {
  let store: Store
  let app: string
  beforeAll(async () => {
    ;[store, app] = await Promise.all([openStore(dialect), installedApp()])
  })
  afterAll(() => store.close())

  /** How many sessions and tokens are still plain, and how many there are. */
  async function count() {
    const sessions = (await store.rows('session')).map(({ sessionToken }) => String(sessionToken).startsWith('s1.'))
    const tokens = (await store.rows('account')).flatMap(({ access_token, refresh_token, id_token }) =>
      [access_token, refresh_token, id_token].map((token) => String(token).startsWith('e1.2026b.')),
    )
    return { plain: [...sessions, ...tokens].filter((isProtected) => !isProtected).length, all: sessions.length + tokens.length }
  }

  test(`loses nothing while the command runs under load and is killed ${kills} times`, { timeout: 240_000 }, async () => {
    const plain = store.adapter()
    const known: Person[] = []
    for (let index = 0; index < people; index++) known.push(await signUp(plain))

    // Two instances of the app, which are both at 'migrating'.
    const instances = [store.adapter(secretsOf('migrating')), store.adapter(secretsOf('migrating'))]
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    const traffic = Promise.all(
      instances.map((adapter, index) =>
        runTraffic(
          adapter,
          known.filter((_, at) => at % instances.length === index),
          stop.signal,
        ),
      ),
    )
    traffic.catch(() => stop.abort())

    const command = (...args: string[]) =>
      start(app, ['secrets', '--yes', '--no-hmac', '--url', store.url, '--batch', '3', '--pause', '10', ...args], env)
    for (let kill = 0; kill < kills; kill++) {
      const before = (await count()).plain
      const { child, ended, printed } = command()
      while ((await count()).plain > before - 30) {
        if (child.exitCode !== null) expect.fail(`ended too early: ${JSON.stringify(printed)}`)
        await sleep(5)
      }
      child.kill('SIGKILL')
      await once(child, 'close')
      expect((await ended).code).toBeNull()
      expect((await count()).plain).toBeGreaterThan(0)
    }
    // Two concurrent runs.
    const runs = await Promise.all([command().ended, command().ended])
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(runs.map(({ stderr }) => ({ code: 0, stderr })))
    stop.abort()
    const calls = (await traffic).reduce((sum, each) => sum + each, 0)
    expect(calls).toBeGreaterThan(people)

    const { code, stdout } = await command('--check').ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/nothing left to rewrite/) })
    expect((await count()).plain).toBe(0)
    const last = store.adapter(secretsOf('final'))
    for (const { session, account } of known) {
      expect((await last.getSessionAndUser(session.sessionToken))?.session).toEqual(session)
      expect(await last.getAccount(account.providerAccountId, account.provider)).toEqual(account)
    }
    expect((await store.rows('session')).length).toBe(people)
  })
})

/** Mixed traffic of one instance. Every acknowledged change must be visible afterwards. */
async function runTraffic(adapter: AnyAdapter, people: Person[], signal: AbortSignal): Promise<number> {
  let calls = 0
  const steps: ((person: Person) => Promise<void>)[] = [
    async ({ session, userId }) => {
      expect(await adapter.getSessionAndUser(session.sessionToken)).toMatchObject({ session, user: { id: userId } })
    },
    async ({ session }) => {
      session.expires = new Date(inAnHour().getTime() + calls)
      expect(await adapter.updateSession({ sessionToken: session.sessionToken, expires: session.expires })).toEqual(session)
      expect((await adapter.getSessionAndUser(session.sessionToken))?.session).toEqual(session)
    },
    async (person) => {
      expect(await adapter.deleteSession(person.session.sessionToken)).toEqual(person.session)
      expect(await adapter.getSessionAndUser(person.session.sessionToken)).toBeNull()
      person.session = { ...person.session, sessionToken: crypto.randomUUID() }
      expect(await adapter.createSession(person.session)).toEqual(person.session)
    },
    async ({ account }) => {
      expect(await adapter.getAccount(account.providerAccountId, account.provider)).toEqual(account)
    },
    async (person) => {
      expect(await adapter.unlinkAccount(person.account)).toEqual(person.account)
      person.account = { ...person.account, ...tokensOf('new') }
      expect(await adapter.linkAccount(person.account)).toEqual(person.account)
    },
  ]
  // In time, each person takes each step: the two lists have lengths without a common factor.
  const weights = [0, 0, 0, 0, 1, 1, 2, 3, 3, 3, 4]
  while (!signal.aborted) {
    const person = people[calls % people.length] as Person
    await steps[weights[calls % weights.length] as number]?.(person)
    calls++
    // With a synchronous driver, this lets the others run.
    await sleep(2)
  }
  return calls
}
