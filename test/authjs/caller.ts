import { createInterface } from 'node:readline'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import type { Refresh } from 'drizzle-auth-adapter/authjs'
import { AccessTokenError, accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import type { Open } from '../../matrix/setting.js'
import type * as pgSchema from '../schema/pg.js'
import { secretsOf } from '../secrets/modes.js'

/** Where a caller stops until it is told to go on: with the lease, with the row read again, before its request, or with the answer. */
export type Stop = 'leased' | 'read' | 'asking' | 'answered'

export interface Task {
  url: string
  server: { tokenEndpoint: string; clientId: string; clientSecret: string }
  lease: number
  stop?: Stop | undefined
}

export type Answer = { token: string } | { kind: string }

/** What a caller says: that it is ready, that it stopped, that another has the lease, that it asks the server, or what it got. */
export type Message = { event: 'ready' | 'stopped' | 'waiting' | 'asking' } | Answer

/** A process that asks for access tokens: each line of its input is a user's id, or `go`. */
export async function runCaller(open: Open, tables: object): Promise<void> {
  const { url, server, lease, stop } = JSON.parse(process.env.CALLER_TASK ?? '') as Task
  const setting = { url, file: url, statements: [], foreignKeys: true, connections: 10, prepare: true, bindings: {} }
  const { db } = await open({ ...setting, logger: { logQuery() {} } })
  const adapter = DrizzleAdapter(db as never, tables as typeof pgSchema, { secrets: secretsOf('last') })
  const say = (message: Message) => process.stdout.write(`${JSON.stringify(message)}\n`)
  let goOn: (() => void) | undefined
  const stopAt = async (place: Stop) => {
    if (place !== stop || goOn) return
    await new Promise<void>((resolve) => {
      goOn = resolve
      say({ event: 'stopped' })
    })
  }

  async function get(userId: string): Promise<Answer> {
    let hasLease = false
    let isWaiting = false
    const watched: typeof adapter = {
      ...adapter,
      async createVerificationToken(token) {
        const created = await adapter.createVerificationToken(token).catch((error) => {
          if (!isWaiting) say({ event: 'waiting' })
          isWaiting = true
          throw error
        })
        hasLease = true
        await stopAt('leased')
        return created
      },
      async listAccounts(id) {
        const accounts = await adapter.listAccounts(id)
        if (hasLease) await stopAt('read')
        return accounts
      },
    }
    const ask = refreshWith(server)
    const demo: Refresh = async (account, options) => {
      say({ event: 'asking' })
      await stopAt('asking')
      const issued = await ask(account, options)
      await stopAt('answered')
      return issued
    }
    try {
      return { token: await accessTokens(watched, { providers: { demo }, lease }).get(userId, 'demo') }
    } catch (error) {
      return { kind: error instanceof AccessTokenError ? error.kind : String(error) }
    }
  }

  say({ event: 'ready' })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'go') goOn?.()
    else get(line).then(say)
  }
  process.exit()
}
