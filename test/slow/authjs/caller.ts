import { createInterface } from 'node:readline'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import type { Refresh } from 'drizzle-auth-adapter/authjs'
import { AccessTokenError, accessTokens, refreshWith } from 'drizzle-auth-adapter/authjs'
import type { Open } from '../../../lab/matrix/setting.js'
import { secretsOf } from '../../integration/secrets/modes.js'
import type * as pgSchema from '../../support/schema/pg.js'

export interface Task {
  url: string
  server: { tokenEndpoint: string; clientId: string; clientSecret: string }
  lease: number
  /** Whether it pauses until it gets `go`, when it holds the lease and has read the account again. */
  pauses: boolean
}

export type Answer = { token: string } | { kind: string }

/** What a caller reports: that it is ready, that it paused, that it waits for another's lease, that it asks the server, or its result. */
export type Message = { event: 'ready' | 'paused' | 'waiting' | 'asking' } | Answer

/** Runs a process that asks for access tokens. Each line of its input is a user's id, or `go`, which ends the pause. */
export async function runCaller(open: Open, tables: object): Promise<void> {
  const { url, server, lease, pauses } = JSON.parse(process.env.CALLER_TASK ?? '') as Task
  const setting = { url, file: url, statements: [], foreignKeys: true, connections: 10, prepare: true, bindings: {} }
  const { db } = await open({ ...setting, logger: { logQuery() {} } })
  const adapter = DrizzleAdapter(db as never, tables as typeof pgSchema, { secrets: secretsOf('final') })
  const report = (message: Message) => process.stdout.write(`${JSON.stringify(message)}\n`)
  let resume: (() => void) | undefined

  async function get(userId: string): Promise<Answer> {
    let hasLease = false
    let isWaiting = false
    const observed: typeof adapter = {
      ...adapter,
      async createVerificationToken(token) {
        const created = await adapter.createVerificationToken(token).catch((error) => {
          if (!isWaiting) report({ event: 'waiting' })
          isWaiting = true
          throw error
        })
        hasLease = true
        return created
      },
      async getAccount(...parameters) {
        const account = await adapter.getAccount(...parameters)
        if (pauses && hasLease && !resume)
          await new Promise<void>((resolve) => {
            resume = resolve
            report({ event: 'paused' })
          })
        return account
      },
    }
    const ask = refreshWith(server)
    const demo: Refresh = (account, options) => {
      report({ event: 'asking' })
      return ask(account, options)
    }
    try {
      return { token: await accessTokens(observed, { providers: { demo }, lease }).get(userId, 'demo') }
    } catch (error) {
      return { kind: error instanceof AccessTokenError ? error.kind : String(error) }
    }
  }

  report({ event: 'ready' })
  for await (const line of createInterface({ input: process.stdin })) {
    if (line === 'go') resume?.()
    else get(line).then(report)
  }
  process.exit()
}
