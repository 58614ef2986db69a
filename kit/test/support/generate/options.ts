import type { BetterAuthOptions } from 'better-auth'
import type { DBFieldAttribute } from 'better-auth/db'
import { admin, organization, twoFactor, username } from 'better-auth/plugins'

export const base: BetterAuthOptions = {
  secret: 'a secret of thirty-two characters',
  baseURL: 'http://localhost',
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
}
const added = {
  plan: { type: 'string', required: true, defaultValue: 'free', input: false },
  motto: { type: 'string', required: true, defaultValue: `it's`, input: false },
  level: { type: ['low', 'high'], required: false, input: false },
  seenAt: { type: 'date', required: true, defaultValue: () => new Date(), input: false },
  settings: { type: 'json', required: false, input: false },
  inviterId: { type: 'string', required: true, input: false, references: { model: 'user', field: 'id' } },
} satisfies Record<string, DBFieldAttribute>
/** The options of an app that gets plugins and fields of its own. */
export const grow = (options: BetterAuthOptions) =>
  ({
    ...base,
    ...options,
    user: { ...options.user, additionalFields: added },
    plugins: [organization({ teams: { enabled: true } }), twoFactor(), admin(), username()],
  }) satisfies BetterAuthOptions
