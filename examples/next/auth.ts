import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { credentialSessions } from 'drizzle-auth-adapter/authjs'
import type { NextAuthConfig } from 'next-auth'
import NextAuth from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import { db } from './db'
import * as tables from './schema'

export const adapter = DrizzleAdapter(db, tables)

const config: NextAuthConfig = {
  adapter,
  // Links begin with the host of the request: the proxy in front must check it, or set AUTH_URL.
  trustHost: true,
  providers: [
    {
      id: 'email',
      type: 'email',
      name: 'Email',
      // Send a mail here. Until then, the console shows the link.
      sendVerificationRequest: ({ identifier, url }) => console.log(`To ${identifier}: sign in at ${url}`),
    },
    Credentials({
      credentials: { email: {}, password: { type: 'password' } },
      // Compare with a hash of the user's own password here. The example has one password for all existing users.
      authorize: async ({ email, password }) =>
        process.env.PASSWORD && password === process.env.PASSWORD ? adapter.getUserByEmail(String(email)) : null,
    }),
  ],
}

export const { auth, handlers, signIn, signOut } = NextAuth(credentialSessions(adapter, config))
