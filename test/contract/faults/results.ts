import type { Row } from '../fault.js'
import { answering, faultsOf, given, on } from '../fault.js'

/** A row as some libraries give it: nothing of it is a property of its own. */
class UserModel {
  #row: Row
  constructor(row: Row) {
    this.#row = row
  }
  get id() {
    return this.#row.id
  }
  get email() {
    return this.#row.email
  }
  get emailVerified() {
    return this.#row.emailVerified
  }
  get name() {
    return this.#row.name
  }
  get image() {
    return this.#row.image
  }
}

export const resultFaults = faultsOf('results', [
  ['getUser gives a frozen row', answering('getUser', (user: Row | null) => user && Object.freeze(user))],
  [
    'getSessionAndUser gives a frozen user',
    answering('getSessionAndUser', (both: { user: Row } | null) => both && { ...both, user: Object.freeze(both.user) }),
  ],
  ['createUser gives a user whose fields are getters of its class', answering('createUser', (user: Row) => new UserModel(user))],
  ['updateUser gives a user whose fields are getters of its class', answering('updateUser', (user: Row) => new UserModel(user))],
  ['getUser gives undefined for nobody', answering('getUser', (user) => user ?? undefined)],
  ['getAccount gives undefined for none', answering('getAccount', (user) => user ?? undefined)],
  ['getAuthenticator gives undefined for none', answering('getAuthenticator', (user) => user ?? undefined)],
  ['getSessionAndUser gives an empty object for none', answering('getSessionAndUser', (found) => found ?? {})],
  ['useVerificationToken gives false for none', answering('useVerificationToken', (found) => found ?? false)],
  ['deleteUser gives true', answering('deleteUser', (found) => Boolean(found))],
  ['unlinkAccount gives a count', answering('unlinkAccount', (found) => (found ? 1 : 0))],
  ['updateSession gives a count', answering('updateSession', (found) => (found ? 1 : 0))],
  ['createVerificationToken gives an id', answering('createVerificationToken', () => 7)],
  [
    'listAuthenticatorsByUserId gives null for an unknown user',
    answering('listAuthenticatorsByUserId', (rows: Row[]) => (rows.length ? rows : null)),
  ],
  [
    'listAuthenticatorsByUserId gives one row where there is one',
    answering('listAuthenticatorsByUserId', (rows: Row[]) => (rows.length === 1 ? rows[0] : rows)),
  ],
  ['listAuthenticatorsByUserId gives an iterator', answering('listAuthenticatorsByUserId', (rows: Row[]) => rows.values())],
  [
    'createUser gives what it was given, with what is not stored',
    on('createUser', (sound) => async (user) => ({ ...user, ...(await sound.createUser(user)) })),
  ],
  [
    'linkAccount gives what it was given, with what is not stored',
    on('linkAccount', (sound) => async (row) => ({ ...row, ...(await sound.linkAccount(row)) })),
  ],
  [
    'createSession stores an invalid date as now',
    given('createSession', (row: Row) => {
      if (row.expires instanceof Date && Number.isNaN(row.expires.getTime())) row.expires = new Date()
    }),
  ],
  [
    'updateUser stores an invalid date as null',
    given('updateUser', (row: Row) => {
      if (row.emailVerified instanceof Date && Number.isNaN(row.emailVerified.getTime())) row.emailVerified = null
    }),
  ],
  [
    'updateSession ignores an invalid date',
    given('updateSession', (row: Row) => {
      if (row.expires instanceof Date && Number.isNaN(row.expires.getTime())) delete row.expires
    }),
  ],
  [
    'createAuthenticator takes a counter as text',
    given('createAuthenticator', (row: Row) => {
      if (typeof row.counter === 'string') row.counter = Number(row.counter)
    }),
  ],
  [
    'a negative counter is stored as 0',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => sound.updateAuthenticatorCounter(id, Math.max(0, counter))),
  ],
  [
    'a fraction as a counter is rounded',
    on('updateAuthenticatorCounter', (sound) => async (id, counter) => sound.updateAuthenticatorCounter(id, Math.round(counter))),
  ],
])
