// The rows of the default tables have exactly these types, on every dialect and under every version of Drizzle.
import type * as mysql from '../mysql/schema.js'
import type * as pg from '../pg/schema.js'
import type * as sqlite from '../sqlite/schema.js'
import type { Equal, Flat } from './equal.js'

interface Rows {
  usersTable: {
    id: string
    name: string | null
    email: string
    emailVerified: Date | null
    image: string | null
  }
  accountsTable: {
    userId: string
    type: 'oauth' | 'oidc' | 'email' | 'webauthn'
    provider: string
    providerAccountId: string
    refresh_token: string | null
    access_token: string | null
    expires_at: number | null
    expires_in: number | null
    token_type: string | null
    scope: string | null
    id_token: string | null
    session_state: string | null
  }
  sessionsTable: {
    sessionToken: string
    userId: string
    expires: Date
  }
  verificationTokensTable: {
    identifier: string
    token: string
    expires: Date
  }
  authenticatorsTable: {
    credentialID: string
    userId: string
    providerAccountId: string
    credentialPublicKey: string
    counter: number
    credentialDeviceType: string
    credentialBackedUp: boolean
    transports: string | null
  }
}

type Insert<Row> = Flat<
  { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
    [Name in keyof Row as null extends Row[Name] ? Name : never]?: Row[Name] | undefined
  }
>

type Schema = Record<keyof Rows, { $inferSelect: object; $inferInsert: object }>

/** The tables of a schema whose rows are not exactly those above, read or inserted. */
type Wrong<S extends Schema> = {
  [Name in keyof Rows]: [
    Equal<Flat<S[Name]['$inferSelect']>, Rows[Name]>,
    Equal<Flat<S[Name]['$inferInsert']>, Insert<Rows[Name]>>,
  ] extends [true, true]
    ? never
    : Name
}[keyof Rows]

export const exact: [Equal<Wrong<typeof pg>, never>, Equal<Wrong<typeof mysql>, never>, Equal<Wrong<typeof sqlite>, never>] = [
  true,
  true,
  true,
]
