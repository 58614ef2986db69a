import type { AuthConfig } from '@auth/core'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/d1'
import * as tables from './schema.js'

export interface Env {
  DB: Parameters<typeof drizzle>[0]
  AUTH_SECRET: string
}

export const authConfig = (env: Env): AuthConfig => ({
  adapter: DrizzleAdapter(drizzle(env.DB), tables),
  secret: env.AUTH_SECRET,
  // Links begin with the host of the request: the proxy in front must check it. Cloudflare passes requests to the hosts in your routes only.
  trustHost: true,
  basePath: '/auth',
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
