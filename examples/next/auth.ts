import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { credentialSessions } from 'drizzle-auth-adapter/authjs'
import { drizzle } from 'drizzle-orm/libsql'
import NextAuth from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import * as tables from './schema'

const db = drizzle({ connection: { url: 'file:data.sqlite' } })
const adapter = DrizzleAdapter(db, tables)

export const { auth, handlers } = NextAuth(
  credentialSessions(adapter, {
    adapter,
    // Links begin with the host of the request: the proxy in front must check it, or set AUTH_URL.
    trustHost: true,
    providers: [
      {
        id: 'email',
        type: 'email' as const,
        name: 'Email',
        // Send a mail here. The example only prints it.
        sendVerificationRequest: ({ identifier, url }) => console.log(`To ${identifier}: sign in at ${url}`),
      },
      Credentials({
        credentials: { email: {}, password: { type: 'password' } },
        // Compare with a hash of the user's own password here. The example has one password for all existing users.
        authorize: async ({ email, password }) =>
          process.env.PASSWORD && password === process.env.PASSWORD ? adapter.getUserByEmail(String(email)) : null,
      }),
    ],
  }),
)
