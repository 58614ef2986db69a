import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './start.js'

/** The changes that an app has acknowledged. */
export class Ledger {
  readonly users = new Set<string>()
  readonly sessions = new Set<string>()
  readonly revoked = new Set<string>()
  readonly used: { identifier: string; token: string }[] = []
}

const inAnHour = () => new Date(Date.now() + 3_600_000)

/** This number of people sign up and sign in with a link, and half of them sign out again. Ends early if the app is killed. */
export async function signIn(app: App, ledger: Ledger, people: number): Promise<void> {
  const signInOne = async () => {
    const id = crypto.randomUUID()
    const session = { sessionToken: `s-${id}`, userId: id, expires: inAnHour() }
    const link = { identifier: `${id}@example.com`, token: `t-${id}`, expires: inAnHour() }
    await app.call('createVerificationToken', link)
    if (!(await app.call('useVerificationToken', link))) throw new Error('an acknowledged token was not found')
    ledger.used.push({ identifier: link.identifier, token: link.token })
    await app.call('createUser', { id, email: link.identifier, emailVerified: new Date() })
    ledger.users.add(id)
    await app.call('createSession', session)
    ledger.sessions.add(session.sessionToken)
    if (!(await app.call('getSessionAndUser', session.sessionToken))) throw new Error('an acknowledged session was not found')
    if (ledger.users.size % 2) return
    ledger.sessions.delete(session.sessionToken)
    await app.call('deleteSession', session.sessionToken)
    ledger.revoked.add(session.sessionToken)
  }
  const signInPeople = async () => {
    while (people-- > 0) {
      try {
        await signInOne()
      } catch (error) {
        const { name, kind } = error as { name: string; kind?: string }
        if (name === 'AppEnded') return
        // After an error, nothing was acknowledged. Waiting too long for a lock is allowed to fail.
        if (kind !== 'conflict') throw error
      }
    }
  }
  await Promise.all([signInPeople(), signInPeople(), signInPeople(), signInPeople()])
}

/** Locks the file again and again. */
export async function holdLocks(rival: App, until: AbortSignal): Promise<void> {
  for (let turn = 0; !until.aborted; turn++) {
    await runWithRetry(rival, 'begin immediate')
    await rival.own(`insert into note (text) values ('of the rival')`)
    await sleep((turn * 3) % 10)
    // Without a WAL, a reader can block the commit.
    await runWithRetry(rival, 'commit')
    await sleep(20 + ((turn * 7) % 30))
  }
}

/** Runs a statement, and retries while the file is locked. */
export async function runWithRetry(app: App, statement: string): Promise<unknown> {
  for (;;) {
    try {
      return await app.own(statement)
    } catch (error) {
      if (!/database is locked/.test((error as Error).message)) throw error
      await sleep(1)
    }
  }
}
