import type { BetterAuthOptions } from 'better-auth'
import { betterAuth } from 'better-auth'
import { organization } from 'better-auth/plugins'
import { createTransport } from 'nodemailer'
import { shortest } from '../passwords.js'

export interface Settings {
  origin: string
  database: NonNullable<BetterAuthOptions['database']>
  secret: string
  mailUrl: string
}

export type DemoAuth = ReturnType<typeof openAuth>

const from = 'Demo <demo@example.com>'

export function openAuth({ origin, database, secret, mailUrl }: Settings) {
  const send = async (to: string, subject: string, text: string) => {
    await createTransport(mailUrl).sendMail({ to, from, subject, text })
  }
  return betterAuth({
    // Links are built from this origin, whatever host a request names.
    baseURL: origin,
    basePath: '/auth',
    secret,
    database,
    advanced: {
      // Reads a session and its user in one statement.
      database: { joins: true },
      // The server sets this header itself, because clients can send any other header with a false address.
      ipAddress: { ipAddressHeaders: ['x-client-address'], ipv6Subnet: 128 },
    },
    emailAndPassword: { enabled: true, minPasswordLength: shortest },
    emailVerification: {
      sendOnSignUp: true,
      sendVerificationEmail: ({ user, url }) => send(user.email, 'Confirm your address', url),
    },
    user: { deleteUser: { enabled: true } },
    plugins: [
      organization({
        // Otherwise everyone who knows the id of an invitation could sign up with its address and accept it.
        requireEmailVerificationOnInvitation: true,
        sendInvitationEmail: ({ email }) => send(email, 'You are invited to an organization', `${origin}/organizations`),
      }),
    ],
    onAPIError: { errorURL: '/problem' },
    // Its messages could contain values of users.
    logger: { disabled: true },
  })
}
