import type { Row } from '../fault.js'
import { faultsOf, given, on, operationOf } from '../fault.js'
import { edit, erring, rowsOf, swallowing, texts } from './helpers.js'

export const wrapperFaults = faultsOf('wrappers', [
  [
    'a wrapper passes on the first argument only',
    on('updateAuthenticatorCounter', (sound) => async (id) => sound.updateAuthenticatorCounter(id, 0)),
  ],
  [
    'a wrapper passes on the first argument of getAccount only',
    on('getAccount', (_, store) => async (id) => (rowsOf(store, 'accounts').find((row) => row.providerAccountId === id) ?? null) as never),
  ],
  [
    'a failed createUser gives the user that is there',
    on('createUser', (sound) => async (user) => operationOf(sound, 'createUser')(user).catch(() => sound.getUserByEmail(user.email))),
  ],
  ['a failed createUser gives null', swallowing('createUser', () => null)],
  ['a failed updateUser gives null', swallowing('updateUser', () => null)],
  ['a failed updateUser gives what it was given', swallowing('updateUser', (user) => user)],
  ['a failed linkAccount gives nothing', swallowing('linkAccount', () => undefined)],
  ['a failed createSession gives what it was given', swallowing('createSession', (row) => row)],
  ['a failed createVerificationToken gives nothing', swallowing('createVerificationToken', () => null)],
  ['a failed createAuthenticator gives null', swallowing('createAuthenticator', () => null)],
  ['a failed updateAuthenticatorCounter gives null', swallowing('updateAuthenticatorCounter', () => null)],
  ['a failed updateSession gives null', swallowing('updateSession', () => null)],
  [
    'useVerificationToken is tried twice',
    on('useVerificationToken', (sound) => async (key) => {
      await sound.useVerificationToken(key)
      return sound.useVerificationToken(key)
    }),
  ],
  [
    'deleteSession is tried twice',
    on('deleteSession', (sound) => async (key) => {
      await sound.deleteSession(key)
      return sound.deleteSession(key)
    }),
  ],
  [
    'errors name the arguments',
    erring(['createUser'], (error, parameters) => new Error(`createUser(${JSON.stringify(parameters)}): ${error.message}`)),
  ],
  ['errors of updateUser name the address', erring(['updateUser'], (_, [user]) => new Error(`${(user as Row).email} is taken`))],
  [
    'errors of createSession have the first half of the token',
    erring(['createSession'], (_, [row]) => new Error(`session ${String((row as Row)?.sessionToken).slice(0, 24)}… exists`)),
  ],
  [
    'errors of linkAccount have the token in base64',
    erring(['linkAccount'], (_, [row]) => new Error(btoa(unescape(encodeURIComponent(String((row as Row).access_token)))))),
  ],
  [
    'errors of linkAccount have the token in a URL',
    erring(['linkAccount'], (_, [row]) => new Error(`https://x/?${new URLSearchParams({ token: String((row as Row).access_token) })}`)),
  ],
  [
    'errors carry a request object with the body',
    erring(['linkAccount'], (error, [row]) => Object.assign(error, { request: { body: JSON.stringify(row) } })),
  ],
  [
    'errors carry a hidden property with the parameters',
    erring(['createVerificationToken'], (error, parameters) =>
      Object.defineProperty(error, 'params', { value: parameters, enumerable: false }),
    ),
  ],
  [
    'errors carry parameters under a symbol',
    erring(['createSession'], (error, parameters) => Object.assign(error, { [Symbol('context')]: parameters })),
  ],
  [
    'errors have a method that shows the parameters',
    erring(['createAuthenticator'], (error, parameters) => Object.assign(error, { toJSON: () => parameters })),
  ],
  [
    'errors carry bytes of the key',
    erring(['createAuthenticator'], (error, [row]) =>
      Object.assign(error, { buffer: new TextEncoder().encode(String((row as Row)?.credentialPublicKey)) }),
    ),
  ],
  [
    'the cause of the cause has the row',
    erring(
      ['createUser'],
      (error, parameters) => new Error('failed', { cause: new Error('query', { cause: { rows: parameters, error } }) }),
    ),
  ],
  ['errors are texts', erring(['createUser', 'linkAccount'], () => 'duplicate')],
  ['errors are undefined', erring(['createAuthenticator'], () => undefined)],
  [
    'a duplicate is waited for and never answered',
    on('createUser', (sound) => async (user) => operationOf(sound, 'createUser')(user).catch(() => new Promise(() => {}))),
  ],
  [
    'a duplicate account is waited for and never answered',
    on('linkAccount', (sound) => async (user) => operationOf(sound, 'linkAccount')(user).catch(() => new Promise(() => {}))),
  ],
  [
    'an unknown counter is waited for and never answered',
    on(
      'updateAuthenticatorCounter',
      (sound) => async (id, counter) => operationOf(sound, 'updateAuthenticatorCounter')(id, counter).catch(() => new Promise(() => {})),
    ),
  ],
  [
    'the tenant stays in the answer',
    edit('createUser', (user) => {
      user.email = `t1:${user.email}`
    }),
  ],
  [
    'soft deletion: getUserByEmail still finds the user',
    (sound) => {
      const kept: Row[] = []
      return {
        deleteUser: async (id) => {
          const user = await sound.deleteUser(id)
          if (user) kept.push(user as unknown as Row)
          return user
        },
        getUserByEmail: async (email) => (await sound.getUserByEmail(email)) ?? kept.find((user) => user.email === email) ?? null,
      }
    },
  ],
  [
    'soft deletion: getUserByAccount still finds the user',
    (sound, store) => {
      const kept: Row[] = []
      return {
        deleteUser: async (id) => {
          const rows = rowsOf(store, 'accounts').filter((row) => row.userId === id)
          const user = await sound.deleteUser(id)
          if (user) kept.push(...rows.map((row) => ({ ...row, user })))
          return user
        },
        getUserByAccount: async (key) =>
          (await sound.getUserByAccount(key)) ??
          kept.find((row) => row.provider === key.provider && row.providerAccountId === key.providerAccountId)?.user ??
          null,
      }
    },
  ],
  [
    'soft deletion: the account cannot be linked again',
    (sound, store) => {
      const kept = new Set<string>()
      return {
        deleteUser: async (id) => {
          for (const row of rowsOf(store, 'accounts'))
            if (row.userId === id) kept.add(JSON.stringify([row.provider, row.providerAccountId]))
          return sound.deleteUser(id)
        },
        linkAccount: async (row) => {
          if (kept.has(JSON.stringify([row.provider, row.providerAccountId]))) throw new Error('taken')
          return sound.linkAccount(row)
        },
      }
    },
  ],
  [
    'soft deletion: the credential cannot be registered again',
    (sound, store) => {
      const kept = new Set<unknown>()
      return {
        deleteUser: async (id) => {
          for (const row of rowsOf(store, 'authenticators')) if (row.userId === id) kept.add(row.credentialID)
          return sound.deleteUser(id)
        },
        createAuthenticator: async (row) => {
          if (kept.has(row.credentialID)) throw new Error('taken')
          return sound.createAuthenticator(row)
        },
      }
    },
  ],
  [
    'soft deletion: a session token cannot be used again',
    (sound) => {
      const kept = new Set<unknown>()
      return {
        deleteSession: async (token) => {
          kept.add(token)
          return sound.deleteSession(token)
        },
        createSession: async (row) => {
          if (kept.has(row.sessionToken)) throw new Error('taken')
          return sound.createSession(row)
        },
      }
    },
  ],
  [
    'createUser trims the address',
    given('createUser', (user: Row) => {
      user.email = typeof user.email === 'string' ? user.email.trim() : user.email
    }),
  ],
  [
    'createUser writes the address in lower case',
    given('createUser', (user: Row) => {
      user.email = typeof user.email === 'string' ? user.email.toLowerCase() : user.email
    }),
  ],
  [
    'updateUser writes the address in lower case',
    given('updateUser', (user: Row) => {
      if (typeof user.email === 'string') user.email = user.email.toLowerCase()
    }),
  ],
  [
    'linkAccount returns encrypted tokens',
    edit('linkAccount', (row) => {
      if (row.access_token) row.access_token = `enc:${row.access_token}`
    }),
  ],
  [
    'unlinkAccount returns encrypted tokens',
    edit('unlinkAccount', (row) => {
      if (row.refresh_token) row.refresh_token = `enc:${row.refresh_token}`
    }),
  ],
  [
    'an empty token is not decrypted',
    edit('getAccount', (row) => {
      if (row.access_token === '') row.access_token = 'enc:'
    }),
  ],
  [
    'updateSession returns the hashed token',
    edit('updateSession', (row) => {
      row.sessionToken = `s1.${row.sessionToken}`
    }),
  ],
  [
    'deleteSession returns the hashed token',
    edit('deleteSession', (row) => {
      row.sessionToken = `s1.${row.sessionToken}`
    }),
  ],
  [
    'getSessionAndUser returns the hashed token',
    on('getSessionAndUser', (sound) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      return found && { ...found, session: { ...found.session, sessionToken: 'hash' } }
    }),
  ],
  ['addresses are normalised to NFC', texts(['createUser', 'getUserByEmail', 'updateUser'], (text) => text.normalize('NFC'))],
  ['texts go through a URL, where a plus is a space', texts(['createUser', 'updateUser'], (text) => text.replaceAll('+', ' '))],
  ['texts are escaped for HTML', texts(['createUser', 'updateUser'], (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'))],
  ['backslashes are taken for escapes', texts(['linkAccount'], (text) => text.replaceAll('\\', ''))],
  ['CRLF becomes LF', texts(['createUser', 'linkAccount', 'createAuthenticator'], (text) => text.replaceAll('\r\n', '\n'))],
  ['texts are trimmed', texts(['linkAccount'], (text) => text.trim())],
  [
    'account ids that look like numbers lose leading zeros',
    texts(['linkAccount', 'getUserByAccount', 'getAccount', 'unlinkAccount'], (text) =>
      /^\d+$/.test(text) ? text.replace(/^0+(?=\d)/, '') : text,
    ),
  ],
  [
    'long numeric account ids are rounded',
    texts(['linkAccount', 'getUserByAccount', 'getAccount', 'unlinkAccount'], (text) =>
      /^[1-9]\d{16,}$/.test(text) ? String(BigInt(Number(text))) : text,
    ),
  ],
  ['emoji become question marks', texts(['createUser'], (text) => text.replace(/\p{Extended_Pictographic}/gu, '?'))],
  [
    'an empty id asks for the list and gets the first user',
    on(
      'getUser',
      (sound, store) => async (id) => ((id as string) === '' ? ((rowsOf(store, 'users')[0] ?? null) as never) : sound.getUser(id)),
    ),
  ],
  [
    'a slash in an id throws',
    on('getUser', (sound) => async (id) => {
      if (String(id).includes('/')) throw new Error('404')
      return sound.getUser(id)
    }),
  ],
  [
    'a slash in a session token finds nothing',
    on('getSessionAndUser', (sound) => async (token) => (String(token).includes('/') ? null : sound.getSessionAndUser(token))),
  ],
  [
    'an envelope around the user',
    on('getUserByEmail', (sound) => async (email) => {
      const user = await sound.getUserByEmail(email)
      return user && { data: user }
    }),
  ],
  [
    'an unknown session throws',
    on('getSessionAndUser', (sound) => async (token) => {
      const found = await sound.getSessionAndUser(token)
      if (!found) throw new Error('404')
      return found
    }),
  ],
  [
    'an unknown account to unlink throws',
    on('unlinkAccount', (sound) => async (key) => {
      const row = await sound.unlinkAccount(key)
      if (!row) throw new Error('404')
      return row
    }),
  ],
])
