import { passkey } from '@better-auth/passkey'
import { betterAuth } from 'better-auth'
import { genericOAuth, organization } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { drizzle } from 'drizzle-orm/libsql'
import * as schema from './auth-schema.js'
import { env } from './env.js'

const db = drizzle({ connection: { url: env('DATABASE_URL') } })

export const auth = betterAuth({
  baseURL: env('BETTER_AUTH_URL'),
  secret: env('BETTER_AUTH_SECRET'),
  database: drizzleAdapter(db, { schema }),
  advanced: { database: { joins: true } },
  emailAndPassword: { enabled: true },
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'oidc',
          discoveryUrl: `${env('OIDC_ISSUER')}/.well-known/openid-configuration`,
          clientId: env('OIDC_CLIENT_ID'),
          clientSecret: env('OIDC_CLIENT_SECRET'),
          scopes: ['openid', 'email', 'profile'],
          // Users who sign out of the app stay signed in at the provider.
          disableProviderLogout: true,
        },
      ],
    }),
    passkey(),
    organization(),
  ],
})
