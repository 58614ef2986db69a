import { faultsOf, on, pause } from '../fault.js'
import { change, drop, mapOf, rowsOf } from './helpers.js'

export const interleavedFaults = faultsOf('interleaved calls', [
  [
    'an update that was read before the deletion brings the user back',
    on('updateUser', (sound, store) => async (user) => {
      const key = JSON.stringify([user.id])
      const before = store.users.rows.get(key)
      const after = await sound.updateUser(user)
      await pause()
      if (before) mapOf(store, 'users').set(key, { ...after } as never)
      return after
    }),
  ],
  [
    'an update that was read before the deletion brings the session back',
    on('updateSession', (sound, store) => async (session) => {
      const after = await sound.updateSession(session)
      await pause()
      if (after) mapOf(store, 'sessions').set(JSON.stringify([after.sessionToken]), { ...after } as never)
      return after
    }),
  ],
  [
    'a new counter that was read before the deletion brings the authenticator back',
    on('updateAuthenticatorCounter', (sound, store) => async (id, counter) => {
      const after = await sound.updateAuthenticatorCounter(id, counter)
      await pause()
      mapOf(store, 'authenticators').set(JSON.stringify([id]), { ...after } as never)
      return after
    }),
  ],
  [
    'two updates of one session: the field of the first is lost',
    on('updateSession', (_, store) => async (session) => {
      const before = store.sessions.find(session)
      await pause()
      return (
        before &&
        store.sessions.update({ ...before, ...Object.fromEntries(Object.entries(session).filter(([, value]) => value !== undefined)) })
      )
    }),
  ],
  [
    'answers of calls at once are mixed up',
    (sound) => {
      let last: unknown
      return {
        getUser: async (id) => {
          last = await sound.getUser(id)
          await pause()
          return last
        },
      }
    },
  ],
  [
    'parameters of calls at once are mixed up',
    (sound) => {
      let last: string
      return {
        getSessionAndUser: async (token) => {
          last = token
          await pause()
          return sound.getSessionAndUser(last)
        },
      }
    },
  ],
  [
    'parameters of getAuthenticator at once are mixed up',
    (sound) => {
      let last: string
      return {
        getAuthenticator: async (token) => {
          last = token
          await pause()
          return sound.getAuthenticator(last)
        },
      }
    },
  ],
  [
    'parameters of createUser at once are mixed up',
    (sound) => {
      let last: never
      return {
        createUser: async (user) => {
          last = user as never
          await pause()
          return sound.createUser(last)
        },
      }
    },
  ],
  [
    'the loser of two deletions of a session throws',
    (sound) => {
      const going = new Set<string>()
      return {
        deleteSession: async (token) => {
          if (going.has(token)) throw new Error('locked')
          going.add(token)
          await pause()
          going.delete(token)
          return sound.deleteSession(token)
        },
      }
    },
  ],
  [
    'the loser of two uses of a token throws',
    (sound) => {
      const going = new Set<string>()
      return {
        useVerificationToken: async (key) => {
          if (going.has(key.token)) throw new Error('locked')
          going.add(key.token)
          await pause()
          going.delete(key.token)
          return sound.useVerificationToken(key)
        },
      }
    },
  ],
  [
    'the loser of two new counters throws',
    (sound) => {
      const going = new Set<string>()
      return {
        updateAuthenticatorCounter: async (id, counter) => {
          if (going.has(id)) throw new Error('locked')
          going.add(id)
          await pause()
          going.delete(id)
          return sound.updateAuthenticatorCounter(id, counter)
        },
      }
    },
  ],
  [
    'the loser of two updates of a user throws',
    (sound) => {
      const going = new Set<unknown>()
      return {
        updateUser: async (user) => {
          if (going.has(user.id)) throw new Error('locked')
          going.add(user.id)
          await pause()
          going.delete(user.id)
          return sound.updateUser(user)
        },
      }
    },
  ],
  [
    'createAuthenticator looks, then writes',
    on('createAuthenticator', (sound, store) => async (row) => {
      if (await sound.getAuthenticator(row.credentialID)) throw new Error('known')
      await pause()
      drop(store, 'authenticators', (each) => each.credentialID === row.credentialID)
      return sound.createAuthenticator(row)
    }),
  ],
  [
    'createSession looks, then writes',
    on('createSession', (sound, store) => async (row) => {
      if (rowsOf(store, 'sessions').some((each) => each.sessionToken === row.sessionToken)) throw new Error('known')
      await pause()
      drop(store, 'sessions', (each) => each.sessionToken === row.sessionToken)
      return sound.createSession(row)
    }),
  ],
  [
    'two users change to one address at once',
    on('updateUser', (sound, store) => async (user) => {
      const before = await sound.getUser(user.id as string)
      if (!before || !user.email) return sound.updateUser(user)
      if (rowsOf(store, 'users').some((row) => row.email === user.email && row.id !== user.id)) throw new Error('taken')
      await pause()
      const { email, ...rest } = user
      await sound.updateUser(rest)
      change(
        store,
        'users',
        (row) => row.id === user.id,
        (row) => {
          row.email = email
        },
      )
      return sound.getUser(user.id as string) as never
    }),
  ],
  [
    'two deletions of one account both get it',
    on('unlinkAccount', (sound, store) => async (key) => {
      const row = store.accounts.find(key) ?? undefined
      await pause()
      await sound.unlinkAccount(key)
      return row
    }),
  ],
  [
    'a second call of any sort waits for the first for ever',
    (sound) => {
      let isBusy = false
      return {
        getUserByEmail: async (email) => {
          if (isBusy) return new Promise(() => {})
          isBusy = true
          await pause()
          isBusy = false
          return sound.getUserByEmail(email)
        },
      }
    },
  ],
])
