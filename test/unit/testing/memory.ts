import type { Adapter, AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'

/** Converts a value to its stored form, or throws if it has the wrong type. The message must not contain the value. */
type Parse = (value: unknown, name: string) => unknown

const reject = (name: string): never => {
  throw new TypeError(`${name} is missing or of the wrong type`)
}
/** Where the contract has text, a whole number is accepted as its digits, because some providers return numeric account ids. */
const textOf = (value: unknown) => (Number.isSafeInteger(value) || typeof value === 'bigint' ? String(value) : value)
const text: Parse = (value, name) => (typeof textOf(value) === 'string' ? textOf(value) : reject(name))
const lowerCase: Parse = (value, name) => String(text(value, name)).toLowerCase()
const number: Parse = (value, name) => (Number.isSafeInteger(value) ? value : reject(name))
const boolean: Parse = (value, name) => (typeof value === 'boolean' ? value : reject(name))
const date: Parse = (value, name) => (value instanceof Date && !Number.isNaN(value.getTime()) ? new Date(value) : reject(name))
const optional = (parse: Parse, absent?: null): Parse => {
  return (value, name) => (value === undefined || value === null ? absent : parse(value, name))
}

const models = {
  user: { id: text, email: text, emailVerified: optional(date, null), name: optional(text, null), image: optional(text, null) },
  account: {
    ...{ userId: text, type: text, provider: text, providerAccountId: text },
    ...{ access_token: optional(text), refresh_token: optional(text), id_token: optional(text), session_state: optional(text) },
    ...{ expires_at: optional(number), expires_in: optional(number), scope: optional(text), token_type: optional(lowerCase) },
  },
  session: { sessionToken: text, userId: text, expires: date },
  token: { identifier: text, token: text, expires: date },
  authenticator: {
    ...{ credentialID: text, userId: text, providerAccountId: text, credentialPublicKey: text, counter: number },
    ...{ credentialDeviceType: text, credentialBackedUp: boolean, transports: optional(text) },
  },
}

const copyOf = <Row extends object>(row: Row): Row =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value instanceof Date ? new Date(value) : value])) as Row

/** The rows of one model. Rows are copied on their way in and out, so that callers never hold a stored row. */
class Rows<Row extends object> {
  readonly rows = new Map<string, Row>()
  constructor(
    readonly model: Record<string, Parse>,
    readonly key: readonly string[],
  ) {}

  /** Converts a row to its stored form. */
  parse(given: object): Row {
    const values = Object.entries(this.model).map(([name, parse]) => [name, parse((given as Record<string, unknown>)[name], name)])
    return Object.fromEntries(values.filter(([, value]) => value !== undefined)) as Row
  }
  /** The key of a row as one string, or `undefined` if no row can have it. */
  keyOf(row: object | undefined): string | undefined {
    const values = this.key.map((name) => textOf((row as Record<string, unknown> | undefined)?.[name]))
    return values.every((value) => typeof value === 'string') ? JSON.stringify(values) : undefined
  }
  find(key: object | undefined): Row | null {
    const row = this.rows.get(this.keyOf(key) ?? '')
    return row ? copyOf(row) : null
  }
  all(has: (row: Row) => boolean): Row[] {
    return [...this.rows.values()].filter(has).map((row) => copyOf(row))
  }
  insert(given: object): Row {
    const row = this.parse(given)
    const key = this.keyOf(row) as string
    if (this.rows.has(key)) throw new Error(`${this.key.join(' and ')} must be new`)
    this.rows.set(key, row)
    return copyOf(row)
  }
  update(given: object): Row | null {
    const row = this.find(given)
    if (!row) return null
    const changes = Object.entries(given).filter(([, value]) => value !== undefined)
    const changed = this.parse({ ...row, ...Object.fromEntries(changes) })
    this.rows.set(this.keyOf(row) as string, changed)
    return copyOf(changed)
  }
  delete(key: object | undefined): Row | null {
    const row = this.find(key)
    if (row) this.rows.delete(this.keyOf(row) as string)
    return row
  }
}

export const newStore = () => ({
  users: new Rows<AdapterUser>(models.user, ['id']),
  accounts: new Rows<AdapterAccount>(models.account, ['provider', 'providerAccountId']),
  sessions: new Rows<AdapterSession>(models.session, ['sessionToken']),
  tokens: new Rows<VerificationToken>(models.token, ['identifier', 'token']),
  authenticators: new Rows<AdapterAuthenticator>(models.authenticator, ['credentialID']),
})

const existing = <Row>(row: Row | null): Row => {
  if (!row) throw new Error('no row has this key')
  return row
}

/** A correct adapter that stores everything in memory. */
export function memoryAdapter(store = newStore()): Required<Adapter> {
  const { users, accounts, sessions, tokens, authenticators } = store
  const byEmail = (email: unknown) => users.all((user) => user.email === textOf(email))[0] ?? null
  const ofUser = (id: string) => (row: { userId: string }) => row.userId === textOf(id)
  const mustBeFree = (email: unknown, id?: string) => {
    const owner = byEmail(email)
    if (owner && owner.id !== id) throw new Error('email must be new')
  }

  return {
    async createUser(user) {
      mustBeFree(user.email)
      return users.insert({ ...user, id: user.id ?? crypto.randomUUID() })
    },
    getUser: async (id) => users.find({ id }),
    getUserByEmail: async (email) => byEmail(email),
    async getUserByAccount(key) {
      const account = accounts.find(key)
      return account && users.find({ id: account.userId })
    },
    async updateUser(user) {
      mustBeFree(user.email, user.id)
      return existing(users.update(user))
    },
    async deleteUser(id) {
      for (const rows of [accounts, sessions, authenticators]) for (const row of rows.all(ofUser(id))) rows.delete(row)
      return users.delete({ id })
    },
    linkAccount: async (account) => accounts.insert(account),
    unlinkAccount: async (key) => accounts.delete(key) ?? undefined,
    getAccount: async (providerAccountId, provider) => accounts.find({ provider, providerAccountId }),
    createSession: async (session) => sessions.insert(session),
    async getSessionAndUser(sessionToken) {
      const session = sessions.find({ sessionToken })
      const user = session && users.find({ id: session.userId })
      return user && { session, user }
    },
    updateSession: async (session) => sessions.update(session),
    deleteSession: async (sessionToken) => sessions.delete({ sessionToken }),
    createVerificationToken: async (token) => tokens.insert(token),
    useVerificationToken: async (key) => tokens.delete(key),
    createAuthenticator: async (authenticator) => authenticators.insert(authenticator),
    getAuthenticator: async (credentialID) => authenticators.find({ credentialID }),
    listAuthenticatorsByUserId: async (userId) => authenticators.all(ofUser(userId)),
    updateAuthenticatorCounter: async (credentialID, counter) =>
      existing(authenticators.update({ credentialID, counter: counter ?? Number.NaN })),
  }
}
