import { faultsOf, on, pause } from '../fault.js'

export const raceFaults = faultsOf('races', [
  [
    'deleteSession reads the session, and then deletes it',
    on('deleteSession', (sound, { sessions }) => async (token) => {
      const session = sessions.find({ sessionToken: token })
      if (session) await pause()
      await sound.deleteSession(token)
      return session
    }),
  ],
  [
    'unlinkAccount reads the account, and then deletes it',
    on('unlinkAccount', (sound, { accounts }) => async (key) => {
      const account = accounts.find(key)
      if (account) await pause()
      await sound.unlinkAccount(key)
      return account
    }),
  ],
  [
    'deleteUser reads the user, and then deletes it',
    on('deleteUser', (sound, { users }) => async (id) => {
      const user = users.find({ id })
      if (user) await pause()
      await sound.deleteUser(id)
      return user
    }),
  ],
  [
    'deleteSession throws where another was faster',
    on('deleteSession', (sound, { sessions }) => async (token) => {
      if (!sessions.find({ sessionToken: token })) return null
      await pause()
      return (await sound.deleteSession(token)) ?? Promise.reject(new Error('gone'))
    }),
  ],
  [
    'unlinkAccount throws where another was faster',
    on('unlinkAccount', (sound, { accounts }) => async (key) => {
      if (!accounts.find(key)) return undefined
      await pause()
      return (await sound.unlinkAccount(key)) ?? Promise.reject(new Error('gone'))
    }),
  ],
  [
    'deleteUser throws where another was faster',
    on('deleteUser', (sound, { users }) => async (id) => {
      if (!users.find({ id })) return null
      await pause()
      return (await sound.deleteUser(id)) ?? Promise.reject(new Error('gone'))
    }),
  ],
  [
    'updateUser reads the user, and then writes all of it',
    on('updateUser', (sound, { users }) => async (user) => {
      const before = users.find(user)
      if (before) await pause()
      return before && users.find(user)
        ? sound.updateUser({ ...before, ...Object.fromEntries(Object.entries(user).filter(([, value]) => value !== undefined)) })
        : sound.updateUser(user)
    }),
  ],
  [
    'updateUser throws where another writes the same user',
    on('updateUser', (sound) => {
      const busy = new Set<unknown>()
      return async (user) => {
        if (busy.has(user?.id)) throw new Error('locked')
        busy.add(user?.id)
        await pause()
        busy.delete(user?.id)
        return sound.updateUser(user)
      }
    }),
  ],
  [
    'updateSession throws where another writes the same session',
    on('updateSession', (sound) => {
      const busy = new Set<unknown>()
      return async (session) => {
        if (busy.has(session?.sessionToken)) throw new Error('locked')
        busy.add(session?.sessionToken)
        await pause()
        busy.delete(session?.sessionToken)
        return sound.updateSession(session)
      }
    }),
  ],
  [
    'updateSession drops a session that many write at once',
    on('updateSession', (sound) => {
      const busy = new Map<unknown, number>()
      return async (session) => {
        const token = session?.sessionToken
        busy.set(token, (busy.get(token) ?? 0) + 1)
        await pause()
        if (busy.get(token) === 10) await sound.deleteSession(token)
        return sound.updateSession(session)
      }
    }),
  ],
  [
    'updateAuthenticatorCounter throws where another counts',
    on('updateAuthenticatorCounter', (sound) => {
      const busy = new Set<unknown>()
      return async (id, counter) => {
        if (busy.has(id)) throw new Error('locked')
        busy.add(id)
        await pause()
        busy.delete(id)
        return sound.updateAuthenticatorCounter(id, counter)
      }
    }),
  ],
  [
    'updateAuthenticatorCounter adds up what comes at once',
    on('updateAuthenticatorCounter', (sound) => {
      const waiting = new Map<unknown, number>()
      return async (id, counter) => {
        waiting.set(id, (waiting.get(id) ?? 0) + counter)
        await pause()
        const sum = waiting.get(id) ?? counter
        waiting.delete(id)
        return sound.updateAuthenticatorCounter(id, sum)
      }
    }),
  ],
  [
    'the sessions of a user are a list that is read, and then written',
    on('createSession', (sound, { sessions }) => async (session) => {
      const others = () => sessions.all(({ userId, sessionToken }) => userId === session.userId && sessionToken !== session.sessionToken)
      const before = others()
      if (typeof session.userId === 'string') await pause()
      for (const other of others()) if (!before.some(({ sessionToken }) => sessionToken === other.sessionToken)) sessions.delete(other)
      return sound.createSession(session)
    }),
  ],
  [
    'the accounts of a user are a list that is read, and then written',
    on('linkAccount', (sound, { accounts }) => async (account) => {
      const others = () => accounts.all(({ userId, provider }) => userId === account.userId && provider === account.provider)
      const before = others()
      if (typeof account.userId === 'string') await pause()
      for (const other of others())
        if (!before.some(({ providerAccountId }) => providerAccountId === other.providerAccountId)) accounts.delete(other)
      return sound.linkAccount(account)
    }),
  ],
  [
    'the authenticators of a user are a list that is read, and then written',
    on('createAuthenticator', (sound, { authenticators }) => async (row) => {
      const others = () => authenticators.all(({ userId, credentialID }) => userId === row.userId && credentialID !== row.credentialID)
      const before = others()
      if (typeof row.userId === 'string') await pause()
      for (const other of others())
        if (!before.some(({ credentialID }) => credentialID === other.credentialID)) authenticators.delete(other)
      return sound.createAuthenticator(row)
    }),
  ],
  [
    'updateSession reads the session, and writes it back after it was deleted',
    on('updateSession', (sound, { sessions }) => async (session) => {
      const before = sessions.find(session)
      if (before) await pause()
      if (before && !sessions.find(session)) sessions.insert(before)
      return sound.updateSession(session)
    }),
  ],
  [
    'createSession brings a user back that is deleted meanwhile',
    on('createSession', (sound, { users }) => async (session) => {
      const user = users.find({ id: session.userId })
      if (user) await pause()
      if (user && !users.find(user)) users.insert(user)
      return sound.createSession(session)
    }),
  ],
  [
    'lookups of users are batched, and unknown ones are left out of the answer',
    on('getUser', (_, { users }) => {
      let batch: { ids: string[]; found: Promise<unknown[]> } | undefined
      return async (id) => {
        batch ??= {
          ids: [],
          found: pause().then(() => {
            const ids = batch?.ids ?? []
            batch = undefined
            return ids.flatMap((each) => users.find({ id: each }) ?? [])
          }),
        }
        const index = batch.ids.push(id) - 1
        return ((await batch.found)[index] as never) ?? null
      }
    }),
  ],
  [
    'getSessionAndUser keeps what it is looking for in one place',
    on('getSessionAndUser', (sound) => {
      let wanted: string
      return async (token) => {
        wanted = token
        await pause()
        return sound.getSessionAndUser(wanted)
      }
    }),
  ],
  [
    'getAuthenticator answers all that ask at once alike',
    on('getAuthenticator', (sound) => {
      let running: Promise<unknown> | undefined
      return async (id) => {
        running ??= pause()
          .then(() => sound.getAuthenticator(id))
          .finally(() => {
            running = undefined
          })
        return running
      }
    }),
  ],
])
