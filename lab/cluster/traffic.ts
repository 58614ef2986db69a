import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter, AdapterUser, VerificationToken } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { newPerson } from '../../test/support/operations.js'
import { tally } from '../../test/support/table.js'
import type { State } from './ledger.js'
import { Ledger } from './ledger.js'
import type { Report } from './report.js'
import { counted } from './report.js'
import type { Tables } from './rows.js'
import { accountRow, accountState, rowsOf, sessionRow, sessionState, tokenRow, tokenState, userRow, userState } from './rows.js'

/** One machine of the application, with its own adapter and connections. */
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

const describeFault = ({ machine, operation, kind, code }: Fault) => `${machine} ${operation} ${kind} ${code ?? ''}`.trim()

export interface TrafficResult {
  seconds: number
  calls: number
  visits: number
  tokens: number
  /** The number of rows at the end. */
  rows: number
  /** The number of rows, on all nodes together, that differ from what was acknowledged. */
  wrong: number
  /** The number of errors that reached callers, by kind and code. */
  faults: Record<string, number>
}

const pick = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)] as T

/** After a failed call, other people are not sent to the machine for this time, as with a load balancer. */
const avoidanceTime = 2_000

/** The maximum time of a call, whatever was killed. */
const callTimeout = 30_000

/** A call failed, which ends the visit. */
class Failed extends Error {}

/**
 * Simulates people who sign up, read and change their session, and sign out. Each has a home machine, and is served by others, too.
 *
 * Acknowledged writes go into the ledger, and must be visible immediately: a session that was created is found on every machine, one that
 * was deleted on none, and a token has one winner.
 */
export class Traffic {
  readonly ledger = new Ledger()
  readonly faults: Fault[] = []
  readonly violations: string[] = []
  calls = 0
  visits = 0
  tokens = 0
  winners = 0
  #sharedUser: AdapterUser | undefined
  readonly #failed = new Map<Machine, number>()

  constructor(readonly machines: readonly Machine[]) {}

  /** Creates the user that everybody updates, to provoke conflicts. */
  async setUp(): Promise<void> {
    const { user } = newPerson()
    await this.#write(pick(this.machines), userRow(user), userState(user), (adapter) => adapter.createUser(user))
    this.#sharedUser = user
  }

  /**
   * Simulates this number of people at the same time, each with one visit after another, for some seconds. Meanwhile `interfere` kills
   * servers; `until(0.5)` waits for the middle of that time. Then waits for the people to finish.
   */
  async run(people: number, seconds: number, interfere: (until: (part: number) => Promise<void>) => Promise<void>): Promise<void> {
    let running = true
    const person = async (home: Machine) => {
      while (running) {
        try {
          await this.#visit(home)
          this.visits++
        } catch (error) {
          if (!(error instanceof Failed)) throw error
          await sleep(20)
        }
      }
    }
    const all = Promise.all(Array.from({ length: people }, (_, index) => person(this.machines[index % this.machines.length] as Machine)))
    const start = performance.now()
    const until = (part: number) => sleep(Math.max(0, start + part * seconds * 1000 - performance.now()))
    await Promise.race([interfere(until).then(() => until(1)), all])
    running = false
    const end = new AbortController()
    await Promise.race([all, sleep(callTimeout * 2, undefined, { signal: end.signal })])
    end.abort()
  }

  /** Reports the traffic, and checks what must hold whatever was killed. Only expected faults may have reached callers. */
  describe(report: Report, title: string, isExpected: (fault: Fault) => boolean): void {
    report.say(`${this.calls} calls, ${this.visits} visits, ${this.tokens} tokens, ${this.faults.length} errors`)
    for (const line of counted(this.faults.map(describeFault))) report.say(`  ${line}`)
    report.check('no session was lost or found after its deletion, no sign-up created two users', this.violations)
    report.check(`no token was used twice: ${this.tokens} tokens, ${this.winners} winners`, this.winners <= this.tokens)
    report.check(title, counted(this.faults.filter((fault) => !isExpected(fault)).map(describeFault)))
  }

  /** Compares the rows of each node with what was acknowledged. */
  compare(report: Report, nodes: Record<string, ReadonlyMap<string, string>>): Pick<TrafficResult, 'rows' | 'wrong'> {
    let wrong = 0
    for (const [node, rows] of Object.entries(nodes)) {
      const differences = this.ledger.differences(rows)
      wrong += differences.length
      report.check(`${node} has what was acknowledged: ${rows.size} rows`, differences)
    }
    return { rows: Object.values(nodes)[0]?.size ?? 0, wrong }
  }

  /** The rows of a node, after it has had time to catch up with what was acknowledged. */
  async rowsOn(db: object, tables: Tables): Promise<Map<string, string>> {
    for (let wait = 0; ; wait++) {
      const rows = await rowsOf(db, tables)
      if (wait === 100 || this.ledger.differences(rows).length === 0) return rows
      await sleep(100)
    }
  }

  result(seconds: number, found: Pick<TrafficResult, 'rows' | 'wrong'>): TrafficResult {
    const { calls, visits, tokens } = this
    return {
      seconds,
      calls,
      visits,
      tokens,
      ...found,
      faults: Object.fromEntries(tally(this.faults.map(({ kind, code }) => `${kind} ${code ?? ''}`.trim()))),
    }
  }

  async #visit(home: Machine): Promise<void> {
    const person = newPerson()
    const { account, session } = person
    const user = await this.#signUp(home, person.user)
    account.userId = user.id
    session.userId = user.id
    await this.#write(home, accountRow(account), accountState(account), (adapter) => adapter.linkAccount(account))
    await this.#write(home, sessionRow(session), sessionState(session), (adapter) => adapter.createSession(session))
    for (let page = 0; page < 5; page++) await this.#expectSession(home, session)

    const later = { ...session, expires: new Date(session.expires.getTime() + 86_400_000) }
    await this.#write(home, sessionRow(later), sessionState(later), (adapter) => adapter.updateSession(later))
    await this.#expectSession(home, later)

    const renamed = { ...user, name: 'Countess' }
    await this.#write(home, userRow(renamed), userState(renamed), (adapter) => adapter.updateUser(renamed))
    await this.#writeSharedUser(home)
    await this.#raceForToken(home, person.token)

    if (Math.random() < 0.5) return
    await this.#write(home, sessionRow(session), null, (adapter) => adapter.deleteSession(session.sessionToken))
    const seen = await this.#call(home, (adapter) => adapter.getSessionAndUser(session.sessionToken))
    if (seen) this.violations.push(`${sessionRow(session)} was found after it was deleted`)
  }

  async #expectSession(home: Machine, session: { sessionToken: string; userId: string; expires: Date }): Promise<void> {
    const found = await this.#call(home, (adapter) => adapter.getSessionAndUser(session.sessionToken))
    if (!found) this.violations.push(`${sessionRow(session)} was lost`)
    else if (sessionState(found.session) !== sessionState(session)) this.violations.push(`${sessionRow(session)} was read in an old state`)
  }

  /** Signs up with one email concurrently on every machine. Only one user may be created. */
  async #signUp(home: Machine, person: AdapterUser): Promise<AdapterUser> {
    const users = this.#serving(home).map((machine) => ({ machine, user: { ...person, id: crypto.randomUUID() } }))
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
    if (created.length === 0 && !failed) this.violations.push('a sign-up failed as duplicate although no other succeeded')
    if (!created[0]) throw new Failed()
    return created[0]
  }

  async #writeSharedUser(home: Machine): Promise<void> {
    const user = { ...(this.#sharedUser as AdapterUser), name: crypto.randomUUID() }
    this.ledger.doubt(userRow(user), userState(user))
    await this.#call(home, (adapter) => adapter.updateUser(user))
  }

  /** Uses one token twice on every machine, all concurrently. */
  async #raceForToken(home: Machine, token: VerificationToken): Promise<void> {
    await this.#write(home, tokenRow(token), tokenState(token), (adapter) => adapter.createVerificationToken(token))
    const serving = this.#serving(home)
    const asking = [...serving, ...serving].map((machine) => this.#callOn(machine, (a) => a.useVerificationToken(token)))
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

  async #write<T>(home: Machine, row: string, state: State, run: (adapter: Adapter) => Promise<T>): Promise<T> {
    try {
      const result = await this.#call(home, run)
      this.ledger.settle(row, state)
      return result
    } catch (error) {
      this.ledger.doubt(row, state)
      throw error
    }
  }

  #call<T>(home: Machine, run: (adapter: Adapter) => Promise<T>): Promise<T> {
    return this.#callOn(Math.random() < 0.5 ? home : pick(this.#serving(home)), run) as Promise<T>
  }

  /** The machines that a person may be sent to: the home machine, and those without a recent failure. */
  #serving(home: Machine): Machine[] {
    const since = performance.now() - avoidanceTime
    return this.machines.filter((machine) => machine === home || (this.#failed.get(machine) ?? 0) < since)
  }

  async #callOn<T, Kind extends string = never>(
    machine: Machine,
    run: (adapter: Adapter) => Promise<T>,
    expected?: Kind,
  ): Promise<T | Kind> {
    const begun = performance.now()
    this.calls++
    const timer = setTimeout(
      () => this.violations.push(`a call on ${machine.name} has no answer after ${callTimeout / 1000} s`),
      callTimeout,
    )
    try {
      return await run(machine.adapter)
    } catch (error) {
      if (!(error instanceof AdapterOperationError)) throw error
      const { operation, kind, code } = error
      if (kind === expected) return expected as Kind
      this.#failed.set(machine, performance.now())
      this.faults.push({ machine: machine.name, operation, kind, code, begun, failed: performance.now() })
      throw new Failed(undefined, { cause: error })
    } finally {
      clearTimeout(timer)
    }
  }
}
