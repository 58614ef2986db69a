import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter, AdapterUser } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import type { State } from './ledger.js'
import { Ledger } from './ledger.js'
import { inDays, someAccount, someSession, someToken, someUser } from './people.js'
import { accountRow, accountState, sessionRow, sessionState, tokenRow, tokenState, userRow, userState } from './rows.js'

/** One machine of the application, with an adapter and connections of its own. */
export interface Machine {
  readonly name: string
  readonly adapter: Adapter
}

/** An error that reached a caller. */
export interface Fault {
  readonly machine: string
  readonly operation: string
  readonly kind: string
  readonly code: string | undefined
  /** When the call began and failed, in `performance.now()`. */
  readonly begun: number
  readonly failed: number
}

export const describeFault = ({ machine, operation, kind, code }: Fault) => `${machine} ${operation} ${kind} ${code ?? ''}`.trim()

/** How often each of these occurs, the most frequent first. */
export function tally(items: string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

const pick = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)] as T

/** A call that failed; the visit that it was part of ends. */
class Failed extends Error {}

/**
 * People who sign up, read, change and leave, each call on any of the machines.
 *
 * What they are told goes into the ledger, and what they see must agree with it at once: a session that was
 * created is there on every machine, one that was deleted is nowhere, a token has one winner.
 */
export class Traffic {
  readonly ledger = new Ledger()
  readonly faults: Fault[] = []
  readonly violations: string[] = []
  calls = 0
  visits = 0
  tokens = 0
  winners = 0
  #running = true
  #everybodys: AdapterUser | undefined

  constructor(readonly machines: readonly Machine[]) {}

  /** Makes the row that everybody writes to: where there are conflicts, they are here. */
  async prepare(): Promise<void> {
    const user = someUser()
    await this.#write(userRow(user), userState(user), (adapter) => adapter.createUser(user))
    this.#everybodys = user
  }

  /** So many people at once, one visit after the other, until `stop`. */
  async run(people: number): Promise<void> {
    const person = async () => {
      while (this.#running) {
        try {
          await this.#visit()
          this.visits++
        } catch (error) {
          if (!(error instanceof Failed)) throw error
          await sleep(20)
        }
      }
    }
    await Promise.all(Array.from({ length: people }, person))
  }

  stop(): void {
    this.#running = false
  }

  async #visit(): Promise<void> {
    const user = await this.#signUp()
    const account = someAccount(user.id)
    await this.#write(accountRow(account), accountState(account), (adapter) => adapter.linkAccount(account))

    const session = someSession(user.id)
    await this.#write(sessionRow(session), sessionState(session), (adapter) => adapter.createSession(session))
    for (let page = 0; page < 5; page++) await this.#expectSession(session)

    const later = { ...session, expires: inDays(31) }
    await this.#write(sessionRow(later), sessionState(later), (adapter) => adapter.updateSession(later))
    await this.#expectSession(later)

    const renamed = { ...user, name: 'Countess' }
    await this.#write(userRow(renamed), userState(renamed), (adapter) => adapter.updateUser(renamed))
    await this.#writeEverybodys()
    await this.#raceForToken()

    if (Math.random() < 0.5) return
    await this.#write(sessionRow(session), null, (adapter) => adapter.deleteSession(session.sessionToken))
    const seen = await this.#call((adapter) => adapter.getSessionAndUser(session.sessionToken))
    if (seen) this.violations.push(`${sessionRow(session)} was seen after it was deleted`)
  }

  async #expectSession(session: { sessionToken: string; userId: string; expires: Date }): Promise<void> {
    const found = await this.#call((adapter) => adapter.getSessionAndUser(session.sessionToken))
    if (!found) this.violations.push(`${sessionRow(session)} was lost`)
    else if (sessionState(found.session) !== sessionState(session)) this.violations.push(`${sessionRow(session)} was read as it had been`)
  }

  /** One email, from every machine at once: one user. */
  async #signUp(): Promise<AdapterUser> {
    const { email } = someUser()
    const users = this.machines.map((machine) => ({ machine, user: someUser(email) }))
    const results = await Promise.allSettled(
      users.map(({ machine, user }) => this.#callOn(machine, (a) => a.createUser(user), 'duplicate')),
    )
    const created: AdapterUser[] = []
    for (const [index, { user }] of users.entries()) {
      const result = results[index] as PromiseSettledResult<AdapterUser | 'duplicate'>
      if (result.status === 'rejected') this.ledger.doubt(userRow(user), userState(user))
      else if (result.value === 'duplicate') this.ledger.settle(userRow(user), null)
      else {
        this.ledger.settle(userRow(user), userState(user))
        created.push(user)
      }
    }
    if (created.length > 1) this.violations.push(`${created.length} users have signed up with one email`)
    const failed = results.some(({ status }) => status === 'rejected')
    if (created.length === 0 && !failed) this.violations.push('a sign-up was taken for a duplicate of no other')
    if (!created[0]) throw new Failed()
    return created[0]
  }

  async #writeEverybodys(): Promise<void> {
    const user = { ...(this.#everybodys as AdapterUser), name: crypto.randomUUID() }
    this.ledger.doubt(userRow(user), userState(user))
    await this.#call((adapter) => adapter.updateUser(user))
  }

  /** One token, asked for twice on every machine at once. */
  async #raceForToken(): Promise<void> {
    const token = someToken()
    await this.#write(tokenRow(token), tokenState(token), (adapter) => adapter.createVerificationToken(token))
    const asking = [...this.machines, ...this.machines].map((machine) => this.#callOn(machine, (a) => a.useVerificationToken(token)))
    const results = await Promise.allSettled(asking)
    const winners = results.filter((result) => result.status === 'fulfilled' && result.value).length
    const failed = results.filter(({ status }) => status === 'rejected').length
    this.tokens++
    this.winners += winners
    if (winners > 1) this.violations.push(`${tokenRow(token)} was used ${winners} times`)
    if (winners === 0 && failed === 0) this.violations.push(`${tokenRow(token)} was used by nobody`)
    if (winners === 0 && failed > 0) this.ledger.doubt(tokenRow(token), null)
    else this.ledger.settle(tokenRow(token), null)
  }

  async #write<T>(row: string, state: State, run: (adapter: Adapter) => Promise<T>): Promise<T> {
    try {
      const result = await this.#call(run)
      this.ledger.settle(row, state)
      return result
    } catch (error) {
      this.ledger.doubt(row, state)
      throw error
    }
  }

  #call<T>(run: (adapter: Adapter) => Promise<T>): Promise<T> {
    return this.#callOn(pick(this.machines), run) as Promise<T>
  }

  async #callOn<T, Kind extends string = never>(
    machine: Machine,
    run: (adapter: Adapter) => Promise<T>,
    expected?: Kind,
  ): Promise<T | Kind> {
    const begun = performance.now()
    this.calls++
    try {
      return await run(machine.adapter)
    } catch (error) {
      if (!(error instanceof AdapterOperationError)) throw error
      const { operation, kind, code } = error
      if (kind === expected) return expected as Kind
      this.faults.push({ machine: machine.name, operation, kind, code, begun, failed: performance.now() })
      throw new Failed(undefined, { cause: error })
    }
  }
}
