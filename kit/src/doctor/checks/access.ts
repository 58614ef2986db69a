import { finding } from '../finding.js'
import type { Check } from '../table.js'

/** The names of the exports of Better Auth 1.7's plugin tables, which may have a prefix. */
const pluginTables =
  /(jwks|passkey|twoFactor|organization|organizationRole|member|invitation|team|apikey|oauth\w+|ssoProvider|scimProvider|deviceCode|walletAddress|subscription)s?(Table)?$/i

/** Tables of the libraries and of plugins that others than the app can read or write. On Supabase, `anon` is everybody. */
export const exposed: Check = {
  about: 'who can read the tables',
  async find({ about, exported, live }, { db, inspector }) {
    if (about.role === 'others' && !pluginTables.test(exported)) return []
    const exposure = await inspector.exposure?.(db, live)
    if (!exposure) return []
    const message = `without row level security, it can be read or written by ${exposure.roles}`
    return [finding('exposed', message, { table: live.name, fix: exposure.fix })]
  },
}

/** The adapter relies on a statement that succeeded, so it does not notice these. */
export const rowChangers: Check = {
  about: 'triggers, views and policies',
  async find({ about, live }, { db, inspector }) {
    if (about.role === 'others') return []
    const nulling = live.foreignKeys.filter(({ rules }) => / ON DELETE SET (NULL|DEFAULT)/.test(rules))
    const changers = [
      ...(await inspector.rowChangers(db, live)),
      ...nulling.map(({ columns, target }) => `the foreign key of ${columns.join(', ')}, when a row of ${target.name} is deleted`),
    ]
    const message = 'rows can be hidden, kept or changed behind a statement, which the adapter does not notice'
    return changers.map((changer) => finding('changes-rows', `${message}: by ${changer}`, { table: live.name }))
  },
}
