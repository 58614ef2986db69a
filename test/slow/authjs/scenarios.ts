import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import { startAuthorizationServer } from '../../auth/authjs/server.js'
import type { AnyAdapter } from '../../integration/secrets/stores.js'
import type { Answer } from './caller.js'
import type { Caller, Callers } from './callers.js'

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
    async start(index: number, options: { pauses?: boolean; lease?: number } = {}) {
      const task = { url: urls[index] as string, server: { tokenEndpoint, clientId, clientSecret }, lease, pauses: false, ...options }
      const process = await callers.start(task)
      processes.push(process)
      return process
    },
    get: () => accessTokens(adapter, { providers: { demo: refreshWith(server) } }).get(userId, 'demo'),
    read: () => adapter.getAccount(key.providerAccountId, key.provider),
    expire: () => adapter.updateAccount({ ...key, expires_at: soon() }),
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

/** Starts a process that holds the lease, and pauses before its request. */
async function startPaused({ start, userId }: Setup) {
  const process = await start(0, { pauses: true })
  const answer = process.get(userId)
  await waitUntil(() => process.count('paused') === 1)
  return { ...process, answer }
}

/** Expects that the server was asked once and accepts the stored refresh token, so it has noticed no reuse. */
async function expectOneRefresh({ server, get, read, expire }: Setup): Promise<void> {
  assert.equal(server.requests.length, 1)
  const before = await read()
  await expire()
  const renewed = await get()
  assert.notEqual(renewed, before?.access_token)
  assert.equal((await read())?.access_token, renewed)
  assert.equal(server.requests.length, 2)
}

async function fiftyCallers(setup: Setup): Promise<void> {
  const { server, userId, start, read } = setup
  const processes = await Promise.all([0, 1, 2].map((index) => start(index, { lease: longLease })))
  // The server answers when every other caller is waiting for the lease.
  const waiting = () => processes.reduce((sum, each) => sum + each.count('waiting'), 0)
  server.beforeAnswer(() => waitUntil(() => waiting() === callerCount - 1))
  const asking = Array.from({ length: callerCount }, (_, index) => processes[index % 3]?.get(userId) as Promise<Answer>)
  const answers = await Promise.all(asking)
  server.beforeAnswer(async () => {})
  const account = await read()
  assert.deepEqual(new Set(answers.map(tokenOf)), new Set([account?.access_token]))
  assert.notEqual(account?.access_token, 'old access')
  await expectOneRefresh(setup)
}

async function holderKilled(setup: Setup): Promise<void> {
  const { userId, start, read } = setup
  await (await startPaused(setup)).kill()
  const processes = await Promise.all([start(1), start(2)])
  const answers = await Promise.all(processes.map((each) => each.get(userId)))
  assert.deepEqual(new Set(answers.map(tokenOf)), new Set([(await read())?.access_token]))
  await expectOneRefresh(setup)
}

/** A process that was paused for longer than its lease must not use the old refresh token, because that would revoke the new one. */
async function holderPaused(setup: Setup): Promise<void> {
  const { userId, start, read } = setup
  const paused = await startPaused(setup)
  const token = tokenOf(await (await start(1)).get(userId))
  paused.go()
  assert.equal(tokenOf(await paused.answer), token)
  assert.equal((await read())?.access_token, token)
  assert.equal(paused.count('asking'), 0)
  await expectOneRefresh(setup)
}

const scenarios: Record<string, (setup: Setup) => Promise<void>> = {
  'fifty callers in three processes: one refresh, fifty answers, and the grant is not revoked': fiftyCallers,
  'the holder of the lease is killed before its request: the next caller gets a token': holderKilled,
  'the holder is paused beyond its lease: it does not use the refresh token': holderPaused,
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
