import type { Row } from '../fault.js'
import { faultsOf, on } from '../fault.js'

export const mutatingFaults = faultsOf('arguments changed', [
  [
    'createUser writes the id into its argument',
    on('createUser', (sound) => async (user) => {
      const made = await sound.createUser({ ...user })
      try {
        ;(user as unknown as Row).id = made.id
      } catch {}
      return made
    }),
  ],
  [
    'createSession cuts milliseconds off the date it was given, after storing it',
    on('createSession', (sound) => async (row) => {
      const made = await sound.createSession(row)
      row.expires?.setMilliseconds?.(0)
      return made
    }),
  ],
  [
    'linkAccount deletes unknown keys from its argument',
    on('linkAccount', (sound) => async (row) => {
      const made = await sound.linkAccount(row)
      for (const key of Object.keys(row))
        if (!(key in (made as object)))
          try {
            delete (row as Row)[key]
          } catch {}
      return made
    }),
  ],
  [
    'useVerificationToken empties its argument',
    on('useVerificationToken', (sound) => async (key) => {
      const row = await sound.useVerificationToken({ ...key })
      try {
        delete (key as Partial<typeof key>).token
      } catch {}
      return row
    }),
  ],
  [
    'updateUser deletes the id from its argument',
    on('updateUser', (sound) => async (user) => {
      const row = await sound.updateUser({ ...user })
      try {
        delete (user as unknown as Row).id
      } catch {}
      return row
    }),
  ],
  [
    'updateSession adds a time to its argument',
    on('updateSession', (sound) => async (user) => {
      const row = await sound.updateSession({ ...user })
      try {
        ;(user as unknown as Row).updatedAt = new Date()
      } catch {}
      return row
    }),
  ],
  [
    'createAuthenticator makes a list of the transports in its argument',
    on('createAuthenticator', (sound) => async (row) => {
      const made = await sound.createAuthenticator({ ...row })
      try {
        ;(row as unknown as Row).transports = []
      } catch {}
      return made
    }),
  ],
  [
    'a frozen argument is refused',
    on('createVerificationToken', (sound) => async (row) => {
      if (Object.isFrozen(row)) throw new TypeError('frozen')
      return sound.createVerificationToken(row)
    }),
  ],
  [
    'getUserByAccount writes a default into its argument',
    on('getUserByAccount', (sound) => async (key) => {
      const user = await sound.getUserByAccount({ ...key })
      try {
        Object.assign(key, { limit: 1 })
      } catch {}
      return user
    }),
  ],
  ['unlinkAccount freezes its argument', on('unlinkAccount', (sound) => async (key) => sound.unlinkAccount(Object.freeze(key)))],
])
