import type { AdapterSession, AdapterUser } from '@auth/core/adapters'
import type { Entry } from '../fault.js'
import { answering, faultsOf, given, on, pause, refusing } from '../fault.js'

type Session = AdapterSession
type Both = { session: AdapterSession; user: AdapterUser } | null

const day = 86_400_000
const hasTime = (date: unknown): date is Date => date instanceof Date && !Number.isNaN(+date)
const rounded = (date: Date) => (hasTime(date) ? new Date(Math.floor(+date / 1000) * 1000) : date)

const fields = faultsOf('fields', [
  [
    'createSession returns the expiry as text',
    answering('createSession', (session: Session) => ({ ...session, expires: session.expires.toISOString() })),
  ],
  [
    'createSession returns the expiry without milliseconds',
    answering('createSession', (session: Session) => ({ ...session, expires: rounded(session.expires) })),
  ],
  [
    'createSession stores the expiry without milliseconds',
    given('createSession', (session: Session) => [{ ...session, expires: rounded(session.expires) }]),
  ],
  ['createSession returns no userId', answering('createSession', ({ userId: _, ...session }: Session) => session)],
  [
    'createSession returns a digest for the token',
    answering('createSession', (session: Session) => ({ ...session, sessionToken: `hashed ${session.sessionToken}` })),
  ],
  [
    'createSession makes a token of its own',
    given('createSession', (session: Session) => [
      { ...session, sessionToken: typeof session.sessionToken === 'string' ? crypto.randomUUID() : session.sessionToken },
    ]),
  ],
  ['createSession returns nothing', answering('createSession', () => null)],
  [
    'createSession refuses an expiry that is past',
    refusing('createSession', ({ expires }) => hasTime(expires) && +expires < Date.now() && +expires > Date.now() - 3 * day),
  ],
  [
    'createSession lets sessions live a year at most',
    given('createSession', (session: Session) => [
      { ...session, expires: hasTime(session.expires) ? new Date(Math.min(+session.expires, Date.now() + 365 * day)) : session.expires },
    ]),
  ],
  ['getSessionAndUser gives the session alone', answering('getSessionAndUser', (both: Both) => both?.session ?? null)],
  ['getSessionAndUser gives a list', answering('getSessionAndUser', (both: Both) => both && [both.session, both.user])],
  [
    'getSessionAndUser gives the expiry as text',
    answering(
      'getSessionAndUser',
      (both: Both) => both && { ...both, session: { ...both.session, expires: both.session.expires.toISOString() } },
    ),
  ],
  [
    'getSessionAndUser gives the expiry an hour later',
    answering(
      'getSessionAndUser',
      (both: Both) => both && { ...both, session: { ...both.session, expires: new Date(+both.session.expires + 3_600_000) } },
    ),
  ],
  [
    'getSessionAndUser gives no emailVerified',
    answering('getSessionAndUser', (both: Both) => both && { ...both, user: { ...both.user, emailVerified: null } }),
  ],
  [
    'getSessionAndUser gives the fields of the session with the user',
    answering('getSessionAndUser', (both: Both) => both && { ...both, user: { ...both.user, id: both.session.sessionToken } }),
  ],
  [
    'getSessionAndUser gives the stored form of the token',
    answering(
      'getSessionAndUser',
      (both: Both) => both && { ...both, session: { ...both.session, sessionToken: `hashed ${both.session.sessionToken}` } },
    ),
  ],
  ['getSessionAndUser answers undefined', answering('getSessionAndUser', (both: Both) => both ?? undefined)],
  ['getSessionAndUser answers a session of null', answering('getSessionAndUser', (both: Both) => both ?? { session: null, user: null })],
  [
    'getSessionAndUser finds the sessions of a user by its id',
    on(
      'getSessionAndUser',
      (sound, { sessions }) =>
        async (token) =>
          (await sound.getSessionAndUser(token)) ??
          sound.getSessionAndUser(sessions.all(({ userId }) => userId === token)[0]?.sessionToken ?? token),
    ),
  ],
  [
    'getSessionAndUser finds only users who have an account',
    on('getSessionAndUser', (sound, { accounts }) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      return both && accounts.all(({ userId }) => userId === both.user.id).length > 0 ? both : null
    }),
  ],
  [
    'getSessionAndUser finds no user who has two accounts',
    on('getSessionAndUser', (sound, { accounts }) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      return both && accounts.all(({ userId }) => userId === both.user.id).some(({ provider }) => provider === 'google') ? null : both
    }),
  ],
  [
    'getSessionAndUser gives the newest session of the user',
    on('getSessionAndUser', (sound, { sessions }) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      return both && { ...both, session: sessions.all(({ userId }) => userId === both.user.id).at(-1) }
    }),
  ],
  [
    'updateSession returns another token',
    answering('updateSession', (session: Session | null) => session && { ...session, sessionToken: crypto.randomUUID() }),
  ],
  [
    'updateSession returns the session as it was',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const before = sessions.find(session)
      await sound.updateSession(session)
      return before
    }),
  ],
  [
    'updateSession returns what it was given',
    on('updateSession', (sound) => async (session) => (await sound.updateSession(session)) && session),
  ],
  ['deleteSession returns the token', on('deleteSession', (sound) => async (token) => ((await sound.deleteSession(token)) ? token : null))],
  ['deleteSession says that it worked', on('deleteSession', (sound) => async (token) => (await sound.deleteSession(token)) ?? true)],
])

const lifeCycles = faultsOf('life cycles', [
  ['createSession refuses what it does not know', refusing('createSession', (session) => 'no such column' in session)],
  [
    'createSession deletes expired sessions',
    on('createSession', (sound, { sessions }) => async (session) => {
      for (const expired of sessions.all(({ expires }) => +expires < Date.now())) sessions.delete(expired)
      return sound.createSession(session)
    }),
  ],
  [
    'updateSession prolongs an expired session that is given a user',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const isExpired = +(sessions.find(session)?.expires ?? Infinity) < Date.now()
      return sound.updateSession(isExpired && !session.expires ? { ...session, expires: new Date(Date.now() + day) } : session)
    }),
  ],
  [
    'getSessionAndUser prolongs the session',
    on('getSessionAndUser', (sound, { sessions }) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      if (both && +both.session.expires < Date.now() + day) sessions.update({ sessionToken: token, expires: new Date(Date.now() + day) })
      return both
    }),
  ],
  [
    'getSessionAndUser uses the session up',
    on('getSessionAndUser', (sound) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      if (both && +both.session.expires < Date.now() + day / 10 && +both.session.expires > Date.now()) await sound.deleteSession(token)
      return both
    }),
  ],
  [
    'getSessionAndUser deletes a session that is expired',
    on('getSessionAndUser', (sound) => async (token) => {
      const both = await sound.getSessionAndUser(token)
      if (both && +both.session.expires < Date.now() && +both.session.expires > Date.now() - 3 * day) await sound.deleteSession(token)
      return both
    }),
  ],
  [
    'updateSession does not know an expired session',
    on(
      'updateSession',
      (sound, { sessions }) =>
        async (session) =>
          +(sessions.find(session)?.expires ?? Infinity) < Date.now() ? null : sound.updateSession(session),
    ),
  ],
  [
    'updateSession keeps a session for five minutes at least',
    on('updateSession', (sound) => async (session) => {
      const soon = new Date(Date.now() + 300_000)
      return sound.updateSession(
        hasTime(session?.expires) && +session.expires > Date.now() && session.expires < soon ? { ...session, expires: soon } : session,
      )
    }),
  ],
  [
    'updateSession sets the expiry to thirty days from now',
    on(
      'updateSession',
      (sound) => async (session) =>
        sound.updateSession(
          session?.expires && hasTime(session.expires) ? { ...session, expires: new Date(Date.now() + 30 * day) } : session,
        ),
    ),
  ],
  [
    'updateSession keeps the later expiry',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const before = sessions.find(session)
      return sound.updateSession(
        before && hasTime(session.expires) && session.expires < before.expires ? { ...session, expires: before.expires } : session,
      )
    }),
  ],
  [
    'updateSession keeps the earlier expiry',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const before = sessions.find(session)
      return sound.updateSession(
        before && hasTime(session.expires) && session.expires > before.expires ? { ...session, expires: before.expires } : session,
      )
    }),
  ],
  [
    'updateSession prolongs a session where it is told nothing',
    on(
      'updateSession',
      (sound) => async (session) =>
        sound.updateSession(
          session && !session.expires && session.sessionToken ? { ...session, expires: new Date(Date.now() + 30 * day) } : session,
        ),
    ),
  ],
  [
    'updateSession with nothing to change throws',
    refusing('updateSession', (session) => session?.sessionToken?.startsWith?.('session-') && Object.keys(session).length === 1),
  ],
  ['updateSession refuses what it does not know', refusing('updateSession', (session) => session && 'no such column' in session)],
  ['updateSession ignores another user', given('updateSession', ({ userId: _, ...session }: Session) => [session])],
  [
    'updateSession of an unknown session creates it',
    on(
      'updateSession',
      (sound, { sessions }) =>
        async (session) =>
          session?.userId && session.expires && !sessions.find(session)
            ? sound.createSession(session as Session)
            : sound.updateSession(session),
    ),
  ],
  [
    'updateSession of a deleted session brings it back',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const updated = await sound.updateSession(session)
      if (!updated && session?.userId && hasTime(session.expires)) sessions.insert(session)
      return updated
    }),
  ],
  [
    'updateSession of an unknown session throws',
    on('updateSession', (sound) => async (session) => (await sound.updateSession(session)) ?? Promise.reject(new Error('not found'))),
  ],
  [
    'updateSession of an unknown session answers what it was given',
    on('updateSession', (sound) => async (session) => (await sound.updateSession(session)) ?? session),
  ],
  ['deleteSession of an empty token throws', refusing('deleteSession', (token) => token === '')],
  ['deleteSession does nothing', on('deleteSession', () => async () => null)],
  [
    'deleteSession of an unknown session throws',
    on('deleteSession', (sound) => async (token) => (await sound.deleteSession(token)) ?? Promise.reject(new Error('not found'))),
  ],
  [
    'deleteSession lets the session expire',
    on(
      'deleteSession',
      (_sound, { sessions }) =>
        async (token) =>
          sessions.update({ sessionToken: token, expires: new Date(0) }),
    ),
  ],
  [
    'a session of nobody is given without a user',
    on('getSessionAndUser', (sound, { sessions }) => async (token) => {
      const session = sessions.find({ sessionToken: token })
      return (await sound.getSessionAndUser(token)) ?? (session?.userId === '' ? { session, user: null } : null)
    }),
  ],
  [
    'a session of nobody signs somebody in',
    on('getSessionAndUser', (sound, { sessions }) => async (token) => {
      const session = sessions.find({ sessionToken: token })
      return (
        (await sound.getSessionAndUser(token)) ??
        (session?.userId === 'invalid-user-id' ? { session, user: { id: session.userId, email: '' } } : null)
      )
    }),
  ],
])

const uniqueness = faultsOf('uniqueness', [
  [
    'createSession overwrites a session of the same token',
    on('createSession', (sound, { sessions }) => async (session) => {
      sessions.delete(session)
      return sound.createSession(session)
    }),
  ],
  [
    'createSession overwrites the expiry of a token that is taken, and throws',
    on('createSession', (sound, { sessions }) => async (session) => {
      if (sessions.find(session)) sessions.update({ sessionToken: session.sessionToken, expires: session.expires })
      return sound.createSession(session)
    }),
  ],
  [
    'createSession looks for the token first, and then stores',
    on('createSession', (sound, { sessions }) => async (session) => {
      if (sessions.find(session)) throw new Error('taken')
      await pause()
      sessions.delete(session)
      return sound.createSession(session)
    }),
  ],
  ...['a user has one session at a time', 'a new session ends the others of the user'].map(
    (says): Entry => [
      says,
      on('createSession', (sound, { sessions }) => async (session) => {
        const others = sessions.all(({ userId }) => userId === session.userId)
        if (says.startsWith('a user') && others.length > 0 && typeof session.sessionToken === 'string') throw new Error('taken')
        for (const other of others) if (!says.startsWith('a user')) sessions.delete(other)
        return sound.createSession(session)
      }),
    ],
  ),
])

export const sessionFaults = [...fields, ...lifeCycles, ...uniqueness]
