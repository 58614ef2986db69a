import type { ExpressAuthConfig } from '@auth/express'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { db } from './db.js'
import * as tables from './schema.js'

export const adapter = DrizzleAdapter(db, tables)

export const authConfig: ExpressAuthConfig = {
  adapter,
  // Links begin with the host of the request: the proxy in front must check it. AUTH_URL does not change it.
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
