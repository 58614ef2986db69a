import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import type { AnyAdapter } from '../secrets/stores.js'
import type { Answer, Stop } from './caller.js'
import type { Caller, Callers } from './callers.js'
import { startAuthorizationServer } from './server.js'

/** A database, and three ways to it: one for each process. */
export interface Ground {
  callers: Callers
  urls: [string, string, string]
  adapter: AnyAdapter
}

// What a busy machine can take for a request is well below it.
const lease = 8_000
const longLease = 90_000
const soon = () => Math.floor(Date.now() / 1000) + 10
const callersInAll = 50

type Prepared = Awaited<ReturnType<typeof prepare>>

/** A user whose access token is about to expire, and the server that issued it. */
async function prepare({ callers, urls, adapter }: Ground) {
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
    /** Starts a process, which may stop somewhere. */
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

async function until(isTrue: () => boolean): Promise<void> {
  const end = Date.now() + 45_000
  while (!isTrue()) {
    assert(Date.now() < end, 'nothing happened for 45 seconds')
    await sleep(10)
  }
}

/** A process that has begun to ask for the token, and stopped there. */
async function stoppedAt({ start, userId }: Prepared, stop: Stop, ms?: number) {
  const process = await start(0, stop, ms)
  const answer = process.get(userId)
  await until(() => process.count('stopped') === 1)
  return { ...process, answer }
}

/** The server accepts what is stored: no reuse was noticed. */
async function expectGrantAlive({ server, get, read, change }: Prepared): Promise<void> {
  const before = await read()
  const asked = server.requests.length
  await change({ expires_at: soon() })
  const renewed = await get()
  assert.notEqual(renewed, before?.access_token)
  assert.equal((await read())?.access_token, renewed)
  assert.equal(server.requests.length, asked + 1)
}

async function fiftyCallers(prepared: Prepared): Promise<void> {
  const { server, userId, start, read } = prepared
  const processes = await Promise.all([0, 1, 2].map((index) => start(index, undefined, longLease)))
  // It answers once every other caller knows that somebody has the lease.
  const waiting = () => processes.reduce((sum, each) => sum + each.count('waiting'), 0)
  server.beforeAnswer(() => until(() => waiting() === callersInAll - 1))
  const asking = Array.from({ length: callersInAll }, (_, index) => processes[index % 3]?.get(userId) as Promise<Answer>)
  const answers = await Promise.all(asking)
  server.beforeAnswer(async () => {})
  const account = await read()
  assert.deepEqual(new Set(answers.map(tokenOf)), new Set([account?.access_token]))
  assert.notEqual(account?.access_token, 'old access')
  assert.equal(server.requests.length, 1)
  await expectGrantAlive(prepared)
}

/** What two processes get that come after the winner. */
async function next({ start, userId }: Prepared): Promise<Answer[]> {
  const processes = await Promise.all([start(1), start(2)])
  return Promise.all(processes.map((each) => each.get(userId)))
}

async function killedBeforeRequest(prepared: Prepared): Promise<void> {
  const { server, read } = prepared
  const winner = await stoppedAt(prepared, 'asking')
  await winner.kill()
  const tokens = (await next(prepared)).map(tokenOf)
  assert.deepEqual(new Set(tokens), new Set([(await read())?.access_token]))
  assert.equal(server.requests.length, 1)
  await expectGrantAlive(prepared)
}

/** Whether the server has seen the whole request by then is its own affair. */
async function killedWhileAsking(prepared: Prepared): Promise<void> {
  const { server, userId, start, read } = prepared
  const before = await read()
  const winner = await start(0)
  const killed = new Promise((resolve) => {
    server.beforeAnswer(() => winner.kill().then(resolve))
  })
  void winner.get(userId)
  await killed
  server.beforeAnswer(async () => {})
  const answers = await next(prepared)
  const after = await read()
  if (answers.some((answer) => 'token' in answer)) {
    assert.deepEqual(new Set(answers.map(tokenOf)), new Set([after?.access_token]))
    return expectGrantAlive(prepared)
  }
  assert.deepEqual(answers, [{ kind: 'revoked' }, { kind: 'revoked' }])
  assert.deepEqual(after, before)
}

/** The new refresh token is lost with the process. What must not happen is a wrong token, or an answer that nobody understands. */
async function killedBeforeWrite(prepared: Prepared): Promise<void> {
  const { server, read, change } = prepared
  const before = await read()
  const winner = await stoppedAt(prepared, 'answered')
  await winner.kill()
  assert.deepEqual(await next(prepared), [{ kind: 'revoked' }, { kind: 'revoked' }])
  assert.deepEqual(await read(), before)
  // The user signs in again.
  await change({ access_token: 'of a new sign-in', refresh_token: await server.issue() })
  await expectGrantAlive(prepared)
}

/** A process that was paused for longer than its lease does not spend the old refresh token, which would revoke the new one. */
async function pausedBeforeRequest(prepared: Prepared, stop: Stop): Promise<void> {
  const { server, userId, start, read } = prepared
  const paused = await stoppedAt(prepared, stop)
  const token = tokenOf(await (await start(1)).get(userId))
  paused.go()
  assert.equal(tokenOf(await paused.answer), token)
  assert.equal((await read())?.access_token, token)
  assert.equal(paused.count('asking'), 0)
  assert.equal(server.requests.length, 1)
  await expectGrantAlive(prepared)
}

async function pausedBeforeWrite(prepared: Prepared): Promise<void> {
  const { server, read, change } = prepared
  const paused = await stoppedAt(prepared, 'answered', longLease)
  const newer = { access_token: 'of a new sign-in', refresh_token: await server.issue(), expires_at: soon() + 3_600 }
  await change(newer)
  paused.go()
  assert.equal(tokenOf(await paused.answer), newer.access_token)
  const { access_token, refresh_token, expires_at } = (await read()) ?? {}
  assert.deepEqual({ access_token, refresh_token, expires_at }, newer)
}

const scenarios: Record<string, (prepared: Prepared) => Promise<void>> = {
  'fifty callers in three processes: one refresh, fifty answers, and the grant is alive': fiftyCallers,
  'the winner is killed before its request: the next one works': killedBeforeRequest,
  'the winner is killed during its request: the next one works, or is told that the grant is lost': killedWhileAsking,
  'the winner is killed before its write: the next one is told so, and a new sign-in works': killedBeforeWrite,
  'the winner sleeps over its lease before it reads: it spends nothing': (prepared) => pausedBeforeRequest(prepared, 'leased'),
  'the winner sleeps over its lease after it has read: it spends nothing': (prepared) => pausedBeforeRequest(prepared, 'read'),
  'the winner sleeps before its write: newer tokens stay': pausedBeforeWrite,
}

export const names = Object.keys(scenarios)

/** Runs a scenario with a server and a user of its own. Throws if something is not as it must be. */
export async function runScenario(name: string, ground: Ground): Promise<void> {
  const prepared = await prepare(ground)
  try {
    await scenarios[name]?.(prepared)
  } finally {
    await prepared.close()
  }
}
