import { pause, sharedFaultsOf } from '../fault.js'
import { cached, cachedFound } from './helpers.js'

export const serverFaults = sharedFaultsOf('several servers', [
  [
    'each server caches its sessions, and another deletes them',
    cachedFound('getSessionAndUser', ['createSession', 'updateSession', 'deleteSession', 'updateUser', 'deleteUser']),
  ],
  ['each server caches its users', cachedFound('getUser', ['createUser', 'updateUser', 'deleteUser'])],
  ['each server caches its accounts', cachedFound('getAccount', ['linkAccount', 'unlinkAccount', 'deleteUser'])],
  [
    'each server caches its authenticators',
    cachedFound('getAuthenticator', ['createAuthenticator', 'updateAuthenticatorCounter', 'deleteUser']),
  ],
  [
    'each server caches its lists',
    cached('listAuthenticatorsByUserId', ['createAuthenticator', 'updateAuthenticatorCounter', 'deleteUser']),
  ],
  ['each server remembers addresses that are free', cached('getUserByEmail', ['createUser', 'updateUser', 'deleteUser'])],
  [
    'each server has a lock of its own for tokens',
    (_, store) => {
      let last: Promise<unknown> = Promise.resolve()
      return {
        useVerificationToken: (key) => {
          const use = async () => {
            const row = store.tokens.find(key)
            await pause()
            store.tokens.delete(key)
            return row
          }
          last = last.then(use, use)
          return last
        },
      }
    },
  ],
])
