import type { AuthConfig } from '@auth/core'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from './db.js'
import * as tables from './schema.js'

export const adapter = DrizzleAdapter(db, tables)

export const authConfig: AuthConfig = {
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
  ],
}
