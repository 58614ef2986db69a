import type { ExpressAuthConfig } from '@auth/express'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/libsql'
import * as tables from './schema.js'

const db = drizzle({ connection: { url: 'file:data.sqlite' } })

export const config: ExpressAuthConfig = {
  adapter: DrizzleAdapter(db, tables),
  // Links begin with the host of the request, which the proxy in front must check. AUTH_URL does not change them.
  trustHost: true,
  providers: [
    {
      id: 'email',
      type: 'email',
      name: 'Email',
      // Send a mail here. The example only prints it.
      sendVerificationRequest: ({ identifier, url }) => console.log(`To ${identifier}: sign in at ${url}`),
    },
  ],
}
