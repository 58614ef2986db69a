import { passkey } from '@better-auth/passkey'
import { betterAuth } from 'better-auth'
import { genericOAuth, organization } from 'better-auth/plugins'
import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import * as schema from './auth-schema.js'
import { db } from './db.js'
import { env } from './env.js'

export const auth = betterAuth({
  database: drizzleAdapter(db, { schema }),
  baseURL: process.env.BETTER_AUTH_URL,
  secret: process.env.BETTER_AUTH_SECRET,
  emailAndPassword: { enabled: true },
  // A session and its user are one query.
  advanced: { database: { joins: true } },
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
