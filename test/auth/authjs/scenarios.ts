import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import type { AnyAdapter } from '../../integration/secrets/stores.js'
import type { Answer, Stop } from './caller.js'
import type { Caller, Callers } from './callers.js'
import { startAuthorizationServer } from './server.js'

/** A database with a URL for each of three processes: they can be nodes of one cluster. */
export interface Environment {
  callers: Callers
  urls: [string, string, string]
  adapter: AnyAdapter
}

// Well above the time that a request can take on a busy machine.
const lease = 8_000
const longLease = 90_000
const soon = () => Math.floor(Date.now() / 1000) + 10
const callerCount = 50

type Setup = Awaited<ReturnType<typeof setUp>>

/** Creates a user whose access token is about to expire, and starts the server that issued it. */
async function setUp({ callers, urls, adapter }: Environment) {
  const server = await startAuthorizationServer()
  const processes: Caller[] = []
  const { id: userId } = await adapter.createUser({ email: `${crypto.randomUUID()}@example.com` })
  const key = { provider: 'demo', providerAccountId: crypto.randomUUID() }
  const first = { access_token: 'old access', refresh_token: await server.issue(), expires_at: soon() }
  await adapter.linkAccount({ userId, type: 'oauth', ...key, ...first })
  const { tokenEndpoint, clientId, clientSecret } = server
  return {
    server,
    userId,
    /** Starts a process, which can pause at one place. */
    async start(index: number, stop?: Stop, ms = lease) {
      const task = { url: urls[index] as string, server: { tokenEndpoint, clientId, clientSecret }, lease: ms, stop }
      const process = await callers.start(task)
      processes.push(process)
      return process
    },
    get: () => accessTokens(adapter, { providers: { demo: refreshWith(server) } }).get(userId, 'demo'),
    read: () => adapter.getAccount(key.providerAccountId, key.provider),
    change: (changes: object) => adapter.updateAccount({ ...key, ...changes }),
    async close() {
      await Promise.all(processes.map((each) => each.kill()))
      await server.close()
    },
  }
}

const tokenOf = (answer: Answer) => ('token' in answer ? answer.token : assert.fail(answer.kind))

async function waitUntil(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 45_000
  while (!isTrue()) {
    assert(Date.now() < end, 'nothing happened for 45 seconds')
    await sleep(10)
  }
}

/** Starts a process that asks for the token, and waits until it has paused there. */
async function startPausedAt({ start, userId }: Setup, stop: Stop, ms?: number) {
  const process = await start(0, stop, ms)
  const answer = process.get(userId)
  await waitUntil(() => process.count('stopped') === 1)
  return { ...process, answer }
}

/** Expects that the server accepts the stored refresh token, so it has noticed no reuse. */
async function expectGrantAlive({ server, get, read, change }: Setup): Promise<void> {
  const before = await read()
  const asked = server.requests.length
  await change({ expires_at: soon() })
  const renewed = await get()
  assert.notEqual(renewed, before?.access_token)
  assert.equal((await read())?.access_token, renewed)
  assert.equal(server.requests.length, asked + 1)
}

async function fiftyCallers(setup: Setup): Promise<void> {
  const { server, userId, start, read } = setup
  const processes = await Promise.all([0, 1, 2].map((index) => start(index, undefined, longLease)))
  // The server answers when every other caller is waiting for the lease.
  const waiting = () => processes.reduce((sum, each) => sum + each.count('waiting'), 0)
  server.beforeAnswer(() => waitUntil(() => waiting() === callerCount - 1))
  const asking = Array.from({ length: callerCount }, (_, index) => processes[index % 3]?.get(userId) as Promise<Answer>)
  const answers = await Promise.all(asking)
  server.beforeAnswer(async () => {})
  const account = await read()
  assert.deepEqual(new Set(answers.map(tokenOf)), new Set([account?.access_token]))
  assert.notEqual(account?.access_token, 'old access')
  assert.equal(server.requests.length, 1)
  await expectGrantAlive(setup)
}

/** The answers of two processes that ask after the winner. */
async function askTwice({ start, userId }: Setup): Promise<Answer[]> {
  const processes = await Promise.all([start(1), start(2)])
  return Promise.all(processes.map((each) => each.get(userId)))
}

async function killedBeforeRequest(setup: Setup): Promise<void> {
  const { server, read } = setup
  const winner = await startPausedAt(setup, 'asking')
  await winner.kill()
  const tokens = (await askTwice(setup)).map(tokenOf)
  assert.deepEqual(new Set(tokens), new Set([(await read())?.access_token]))
  assert.equal(server.requests.length, 1)
  await expectGrantAlive(setup)
}

/** The server may or may not have received the whole request, so both outcomes are allowed. */
async function killedWhileAsking(setup: Setup): Promise<void> {
  const { server, userId, start, read } = setup
  const before = await read()
  const winner = await start(0)
  const killed = new Promise((resolve) => {
    server.beforeAnswer(() => winner.kill().then(resolve))
  })
  void winner.get(userId)
  await killed
  server.beforeAnswer(async () => {})
  const answers = await askTwice(setup)
  const after = await read()
  if (answers.some((answer) => 'token' in answer)) {
    assert.deepEqual(new Set(answers.map(tokenOf)), new Set([after?.access_token]))
    return expectGrantAlive(setup)
  }
  assert.deepEqual(answers, [{ kind: 'revoked' }, { kind: 'revoked' }])
  assert.deepEqual(after, before)
}

/** The new refresh token is lost with the process. Others must get the error `revoked`, and not a wrong token. */
async function killedBeforeWrite(setup: Setup): Promise<void> {
  const { server, read, change } = setup
  const before = await read()
  const winner = await startPausedAt(setup, 'answered')
  await winner.kill()
  assert.deepEqual(await askTwice(setup), [{ kind: 'revoked' }, { kind: 'revoked' }])
  assert.deepEqual(await read(), before)
  // The user signs in again.
  await change({ access_token: 'of a new sign-in', refresh_token: await server.issue() })
  await expectGrantAlive(setup)
}

/** A process that was paused for longer than its lease must not use the old refresh token, because that would revoke the new one. */
async function pausedBeforeRequest(setup: Setup, stop: Stop): Promise<void> {
  const { server, userId, start, read } = setup
  const paused = await startPausedAt(setup, stop)
  const token = tokenOf(await (await start(1)).get(userId))
  paused.go()
  assert.equal(tokenOf(await paused.answer), token)
  assert.equal((await read())?.access_token, token)
  assert.equal(paused.count('asking'), 0)
  assert.equal(server.requests.length, 1)
  await expectGrantAlive(setup)
}

async function pausedBeforeWrite(setup: Setup): Promise<void> {
  const { server, read, change } = setup
  const paused = await startPausedAt(setup, 'answered', longLease)
  const newer = { access_token: 'of a new sign-in', refresh_token: await server.issue(), expires_at: soon() + 3_600 }
  await change(newer)
  paused.go()
  assert.equal(tokenOf(await paused.answer), newer.access_token)
  const { access_token, refresh_token, expires_at } = (await read()) ?? {}
  assert.deepEqual({ access_token, refresh_token, expires_at }, newer)
}

const scenarios: Record<string, (setup: Setup) => Promise<void>> = {
  'fifty callers in three processes: one refresh, fifty answers, and the grant is not revoked': fiftyCallers,
  'the winner is killed before its request: the next caller gets a token': killedBeforeRequest,
  'the winner is killed during its request: the next caller gets a token, or the error revoked': killedWhileAsking,
  'the winner is killed before its write: the next caller gets the error revoked, and a new sign-in works': killedBeforeWrite,
  'the winner is paused beyond its lease before it reads: it does not use the refresh token': (setup) =>
    pausedBeforeRequest(setup, 'leased'),
  'the winner is paused beyond its lease after it has read: it does not use the refresh token': (setup) =>
    pausedBeforeRequest(setup, 'read'),
  'the winner is paused before its write: newer tokens are kept': pausedBeforeWrite,
}

export const names = Object.keys(scenarios)

/** Runs a scenario with its own server and user. Throws if an expectation fails. */
export async function runScenario(name: string, environment: Environment): Promise<void> {
  const setup = await setUp(environment)
  try {
    await scenarios[name]?.(setup)
  } finally {
    await setup.close()
  }
}
