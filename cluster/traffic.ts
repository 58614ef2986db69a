import { setTimeout as sleep } from 'node:timers/promises'
import type { Adapter, AdapterUser } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import type { State } from './ledger.js'
import { Ledger } from './ledger.js'
import { inDays, someAccount, someSession, someToken, someUser } from './people.js'
import type { Report } from './report.js'
import { tally } from './report.js'
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

export interface TrafficResult {
  seconds: number
  calls: number
  visits: number
  tokens: number
  /** Rows that were there at the end. */
  rows: number
  /** Rows that were not as their writers had been told, on all nodes together. */
  wrong: number
  /** How many errors of which kind and code callers saw. */
  faults: Record<string, number>
}

const pick = <T>(items: readonly T[]) => items[Math.floor(Math.random() * items.length)] as T

/** How long nobody but its own people is sent to a machine after a call on it failed, as a load balancer would. */
const avoidance = 2_000

/** No call may take longer, whatever was killed. */
const patience = 30_000

/** A call that failed; the visit that it was part of ends. */
class Failed extends Error {}

/**
 * People who sign up, read, change and leave. Each is at home on one machine, and is served by others, too.
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
  #stop = () => {}
  readonly #stopped = new Promise<void>((resolve) => {
    this.#stop = resolve
  })
  #everybodys: AdapterUser | undefined
  readonly #failed = new Map<Machine, number>()

  constructor(readonly machines: readonly Machine[]) {}

  /** Makes the row that everybody writes to: where there are conflicts, they are here. */
  async prepare(): Promise<void> {
    const user = someUser()
    await this.#write(pick(this.machines), userRow(user), userState(user), (adapter) => adapter.createUser(user))
    this.#everybodys = user
  }

  /** So many people at once, one visit after the other, until `stop`; it waits for all of them, but not for ever. */
  async run(people: number): Promise<void> {
    const person = async (home: Machine) => {
      while (this.#running) {
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
    const end = new AbortController()
    await Promise.race([all, this.#stopped.then(() => sleep(patience * 2, undefined, { signal: end.signal }))])
    end.abort()
  }

  stop(): void {
    this.#running = false
    this.#stop()
  }

  /** Tells what happened, and checks what must hold whatever was killed. */
  describe(report: Report): void {
    report.say(`${this.calls} calls, ${this.visits} visits, ${this.tokens} tokens, ${this.faults.length} errors`)
    for (const [fault, count] of tally(this.faults.map(describeFault))) report.say(`  ${count} × ${fault}`)
    report.check('no session was lost or seen after its end, no sign-up made two users', this.violations)
    report.check(`no token was used twice: ${this.tokens} tokens, ${this.winners} winners`, this.winners <= this.tokens)
  }

  /** Compares what each node holds with what was acknowledged. */
  compare(report: Report, nodes: Record<string, ReadonlyMap<string, string>>): Pick<TrafficResult, 'rows' | 'wrong'> {
    let wrong = 0
    for (const [node, rows] of Object.entries(nodes)) {
      const differences = this.ledger.differences(rows)
      wrong += differences.length
      report.check(`${node} holds what was acknowledged: ${rows.size} rows`, differences)
    }
    return { rows: Object.values(nodes)[0]?.size ?? 0, wrong }
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
    const user = await this.#signUp(home)
    const account = someAccount(user.id)
    await this.#write(home, accountRow(account), accountState(account), (adapter) => adapter.linkAccount(account))

    const session = someSession(user.id)
    await this.#write(home, sessionRow(session), sessionState(session), (adapter) => adapter.createSession(session))
    for (let page = 0; page < 5; page++) await this.#expectSession(home, session)

    const later = { ...session, expires: inDays(31) }
    await this.#write(home, sessionRow(later), sessionState(later), (adapter) => adapter.updateSession(later))
    await this.#expectSession(home, later)

    const renamed = { ...user, name: 'Countess' }
    await this.#write(home, userRow(renamed), userState(renamed), (adapter) => adapter.updateUser(renamed))
    await this.#writeEverybodys(home)
    await this.#raceForToken(home)

    if (Math.random() < 0.5) return
    await this.#write(home, sessionRow(session), null, (adapter) => adapter.deleteSession(session.sessionToken))
    const seen = await this.#call(home, (adapter) => adapter.getSessionAndUser(session.sessionToken))
    if (seen) this.violations.push(`${sessionRow(session)} was seen after it was deleted`)
  }

  async #expectSession(home: Machine, session: { sessionToken: string; userId: string; expires: Date }): Promise<void> {
    const found = await this.#call(home, (adapter) => adapter.getSessionAndUser(session.sessionToken))
    if (!found) this.violations.push(`${sessionRow(session)} was lost`)
    else if (sessionState(found.session) !== sessionState(session)) this.violations.push(`${sessionRow(session)} was read as it had been`)
  }

  /** One email, from every machine at once: one user. */
  async #signUp(home: Machine): Promise<AdapterUser> {
    const { email } = someUser()
    const users = this.#serving(home).map((machine) => ({ machine, user: someUser(email) }))
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

  async #writeEverybodys(home: Machine): Promise<void> {
    const user = { ...(this.#everybodys as AdapterUser), name: crypto.randomUUID() }
    this.ledger.doubt(userRow(user), userState(user))
    await this.#call(home, (adapter) => adapter.updateUser(user))
  }

  /** One token, asked for twice on every machine at once. */
  async #raceForToken(home: Machine): Promise<void> {
    const token = someToken()
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

  /** The machines that a person may be sent to: the own one, and those that are well. */
  #serving(home: Machine): Machine[] {
    const since = performance.now() - avoidance
    return this.machines.filter((machine) => machine === home || (this.#failed.get(machine) ?? 0) < since)
  }

  async #callOn<T, Kind extends string = never>(
    machine: Machine,
    run: (adapter: Adapter) => Promise<T>,
    expected?: Kind,
  ): Promise<T | Kind> {
    const begun = performance.now()
    this.calls++
    const hanging = setTimeout(() => this.violations.push(`a call on ${machine.name} has no answer after ${patience / 1000} s`), patience)
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
      clearTimeout(hanging)
    }
  }
}
