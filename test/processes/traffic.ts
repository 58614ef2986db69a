import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from './start.js'

const command = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'index.js')

/** What an app has acknowledged. */
export class Ledger {
  readonly users = new Set<string>()
  readonly sessions = new Set<string>()
  readonly revoked = new Set<string>()
  readonly used: { identifier: string; token: string }[] = []
}

const inAnHour = () => new Date(Date.now() + 3_600_000)

/** So many people sign up, sign in with a link, and some of them out again; until all have, or the app is gone. */
export async function signIn(app: App, ledger: Ledger, people: number): Promise<void> {
  const person = async () => {
    const id = crypto.randomUUID()
    const session = { sessionToken: `s-${id}`, userId: id, expires: inAnHour() }
    const link = { identifier: `${id}@example.com`, token: `t-${id}`, expires: inAnHour() }
    await app.call('createVerificationToken', link)
    if (!(await app.call('useVerificationToken', link))) throw new Error('a token that was acknowledged is not there')
    ledger.used.push({ identifier: link.identifier, token: link.token })
    await app.call('createUser', { id, email: link.identifier, emailVerified: new Date() })
    ledger.users.add(id)
    await app.call('createSession', session)
    ledger.sessions.add(session.sessionToken)
    if (!(await app.call('getSessionAndUser', session.sessionToken))) throw new Error('a session that was acknowledged is not there')
    if (Math.random() < 0.5) return
    ledger.sessions.delete(session.sessionToken)
    await app.call('deleteSession', session.sessionToken)
    ledger.revoked.add(session.sessionToken)
  }
  const some = async () => {
    while (people-- > 0) {
      try {
        await person()
      } catch (error) {
        const { name, kind } = error as { name: string; kind?: string }
        if (name === 'AppEnded') return
        // An error is no acknowledgement. Whoever waited for a lock in vain may get one.
        if (kind !== 'conflict') throw error
      }
    }
  }
  await Promise.all([some(), some(), some(), some()])
}

/** Holds the lock on the file again and again, and leaves expired sessions behind. */
export async function holdLocks(rival: App, until: AbortSignal): Promise<void> {
  for (let expired = 0; !until.aborted; ) {
    const rows = Array.from({ length: 40 }, () => `('expired-${expired++}', 'clock', 1)`)
    await insist(rival, 'begin immediate')
    await rival.own(`insert into session ("sessionToken", "userId", expires) values ${rows}`)
    await sleep(10 * Math.random())
    // Whoever reads keeps others from committing, unless the file has a WAL.
    await insist(rival, 'commit')
    await sleep(20 + 30 * Math.random())
  }
}

/** Does what may meet locks. */
export async function insist(app: App, statement: string): Promise<unknown> {
  for (;;) {
    try {
      return await app.own(statement)
    } catch (error) {
      if (!/database is locked/.test((error as Error).message)) throw error
      await sleep(1)
    }
  }
}

/** Runs the command again and again. */
export async function sweep(file: string, until: AbortSignal): Promise<void> {
  while (!until.aborted) {
    const args = [command, 'sweep', '--url', file, '--batch', '20', '--pause', '20', '--quiet']
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], signal: until, killSignal: 'SIGKILL' })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    // Where the time is up, it is killed.
    child.on('error', () => {})
    const code = await new Promise((resolve) => child.on('close', resolve))
    // It may wait for a lock in vain.
    if (code !== 0 && !until.aborted && !errors.includes('another transaction was in the way'))
      throw new Error(`the sweep ended with ${code}: ${errors}`)
  }
}
