import type { AuthConfig } from '@auth/core'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/libsql'
import * as tables from './schema.js'

const db = drizzle({ connection: { url: 'file:data.sqlite' } })

export const config: AuthConfig = {
  adapter: DrizzleAdapter(db, tables),
  // Links begin with the host of the request: the proxy in front must check it, or set AUTH_URL.
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
