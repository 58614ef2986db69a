import { SvelteKitAuth } from '@auth/sveltekit'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from './db'
import * as tables from './schema'

export const adapter = DrizzleAdapter(db, tables)

export const { handle, signIn, signOut } = SvelteKitAuth({
  adapter,
  // Links begin with the host of the request: the proxy in front must check it, or set AUTH_URL and ORIGIN.
  trustHost: true,
  providers: [
    {
      id: 'email',
      type: 'email',
      name: 'Email',
      // Send a mail here. Until then, the console shows the link.
      sendVerificationRequest: ({ identifier, url }) => console.log(`To ${identifier}: sign in at ${url}`),
    },
  ],
})
