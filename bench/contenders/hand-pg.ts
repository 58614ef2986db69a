import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '@auth/core/adapters'
import type { Sql } from 'postgres'
import type { Operations } from './contender.js'

/** Timestamps without a time zone are in UTC, and all integers of these tables fit into a number. */
export const handTypes = {
  date: {
    to: 1114,
    from: [1114],
    serialize: (value: Date) => value.toISOString(),
    parse: (value: string) => new Date(`${value}Z`),
  },
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
}

type Client = Sql<{ date: Date; bigint: number }>

/** The operations as one would write them by hand for these tables. postgres.js prepares each statement at its first use. */
export function handWritten(sql: Client): Operations {
  return {
    async createUser({ id, name = null, email, emailVerified, image = null }) {
      const [row] = await sql<[AdapterUser]>`
        insert into "user" ("id", "name", "email", "emailVerified", "image")
        values (${id}, ${name}, ${email}, ${emailVerified}, ${image}) returning *`
      return row
    },
    getUser: async (id) => (await sql<AdapterUser[]>`select * from "user" where "id" = ${id}`)[0] ?? null,
    getUserByEmail: async (email) => (await sql<AdapterUser[]>`select * from "user" where "email" = ${email}`)[0] ?? null,
    async getUserByAccount({ provider, providerAccountId }) {
      const [row] = await sql<AdapterUser[]>`
        select u.* from "account" a join "user" u on u."id" = a."userId"
        where a."provider" = ${provider} and a."providerAccountId" = ${providerAccountId}`
      return row ?? null
    },
    async updateUser({ id, name = null }) {
      const [row] = await sql<[AdapterUser]>`update "user" set "name" = ${name} where "id" = ${id} returning *`
      return row
    },
    deleteUser: async (id) => (await sql<AdapterUser[]>`delete from "user" where "id" = ${id} returning *`)[0] ?? null,

    async linkAccount({ userId, type, provider, providerAccountId, ...a }) {
      const [row] = await sql<[AdapterAccount]>`
        insert into "account" ("userId", "type", "provider", "providerAccountId", "refresh_token", "access_token",
          "expires_at", "expires_in", "token_type", "scope", "id_token", "session_state")
        values (${userId}, ${type}, ${provider}, ${providerAccountId}, ${a.refresh_token ?? null}, ${a.access_token ?? null},
          ${a.expires_at ?? null}, ${a.expires_in ?? null}, ${a.token_type ?? null}, ${a.scope ?? null}, ${a.id_token ?? null},
          ${(a.session_state ?? null) as string | null}) returning *`
      return row
    },
    async unlinkAccount({ provider, providerAccountId }) {
      const [row] = await sql<AdapterAccount[]>`
        delete from "account" where "provider" = ${provider} and "providerAccountId" = ${providerAccountId} returning *`
      return row
    },
    async getAccount(providerAccountId, provider) {
      const [row] = await sql<AdapterAccount[]>`
        select * from "account" where "provider" = ${provider} and "providerAccountId" = ${providerAccountId}`
      return row ?? null
    },

    async createSession({ sessionToken, userId, expires }) {
      const [row] = await sql<[AdapterSession]>`
        insert into "session" ("sessionToken", "userId", "expires") values (${sessionToken}, ${userId}, ${expires}) returning *`
      return row
    },
    async getSessionAndUser(token) {
      const [row] = await sql<(AdapterSession & AdapterUser)[]>`
        select s."sessionToken", s."userId", s."expires", u."id", u."name", u."email", u."emailVerified", u."image"
        from "session" s join "user" u on u."id" = s."userId" where s."sessionToken" = ${token}`
      if (!row) return null
      const { sessionToken, userId, expires, id, name = null, email, emailVerified, image = null } = row
      return { session: { sessionToken, userId, expires }, user: { id, name, email, emailVerified, image } }
    },
    async updateSession({ sessionToken, expires = null }) {
      const [row] = await sql<AdapterSession[]>`
        update "session" set "expires" = ${expires} where "sessionToken" = ${sessionToken} returning *`
      return row
    },
    deleteSession: async (token) => (await sql<AdapterSession[]>`delete from "session" where "sessionToken" = ${token} returning *`)[0],

    async createVerificationToken({ identifier, token, expires }) {
      const [row] = await sql<[VerificationToken]>`
        insert into "verificationToken" ("identifier", "token", "expires") values (${identifier}, ${token}, ${expires}) returning *`
      return row
    },
    async useVerificationToken({ identifier, token }) {
      const [row] = await sql<VerificationToken[]>`
        delete from "verificationToken" where "identifier" = ${identifier} and "token" = ${token} returning *`
      return row ?? null
    },

    async createAuthenticator({ credentialID, userId, providerAccountId, credentialPublicKey, ...a }) {
      const [row] = await sql<[AdapterAuthenticator]>`
        insert into "authenticator" ("credentialID", "userId", "providerAccountId", "credentialPublicKey", "counter",
          "credentialDeviceType", "credentialBackedUp", "transports")
        values (${credentialID}, ${userId}, ${providerAccountId}, ${credentialPublicKey}, ${a.counter},
          ${a.credentialDeviceType}, ${a.credentialBackedUp}, ${a.transports ?? null}) returning *`
      return row
    },
    async getAuthenticator(credentialID) {
      const [row] = await sql<AdapterAuthenticator[]>`select * from "authenticator" where "credentialID" = ${credentialID}`
      return row ?? null
    },
    listAuthenticatorsByUserId: async (userId) => [
      ...(await sql<AdapterAuthenticator[]>`select * from "authenticator" where "userId" = ${userId}`),
    ],
    async updateAuthenticatorCounter(credentialID, counter) {
      const [row] = await sql<[AdapterAuthenticator]>`
        update "authenticator" set "counter" = ${counter} where "credentialID" = ${credentialID} returning *`
      return row
    },
  }
}
