import type { Finding } from '../finding.js'
import { finding } from '../finding.js'
import type { Check, Subject, SubjectTable } from '../subject.js'

// The tables of the plugins of Better Auth 1.7 and of its own packages, by the names of their exports, which may have a prefix.
const plugins =
  /(jwks|passkey|twoFactor|organization|organizationRole|member|invitation|team|apikey|oauth\w+|ssoProvider|scimProvider|deviceCode|walletAddress|subscription)s?(Table)?$/i

/** Tables of the libraries and of plugins that others than the app can read or write. On Supabase, `anon` is everybody. */
export const exposed: Check = (subject) =>
  each(
    subject,
    ({ about, exported }) => about.model !== 'others' || plugins.test(exported),
    async ({ live }) => {
      const exposure = await subject.inspector.exposure?.(subject.db, live)
      if (!exposure) return []
      const message = `without row level security, it can be read or written by ${exposure.roles}`
      return [finding('exposed', message, { table: live.name, fix: exposure.fix })]
    },
  )

/** What the adapter does not look for: it takes a statement that succeeded for done. */
export const rowChangers: Check = (subject) =>
  each(
    subject,
    ({ about }) => about.model !== 'others',
    async ({ live, columns }) => {
      // The foreign key of `userId` has a finding of its own.
      const userId = columns.find(({ field }) => field === 'userId')?.name ?? ''
      const nulling = live.foreignKeys.filter((key) => / ON DELETE SET (NULL|DEFAULT)/.test(key.rules) && !key.columns.includes(userId))
      const changers = [
        ...(await subject.inspector.rowChangers(subject.db, live)),
        ...nulling.map(({ name, target }) => `the foreign key ${name}, when a row of ${target.name} is deleted`),
      ]
      const message = 'rows can be kept or changed behind a statement, which the adapter does not notice'
      return changers.map((changer) => finding('changes-rows', `${message}: by ${changer}`, { table: live.name }))
    },
  )

async function each(
  { tables, attempt }: Subject,
  isMeant: (table: SubjectTable) => boolean,
  check: (table: SubjectTable) => Promise<Finding[]>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const table of tables.filter(isMeant)) findings.push(...(await attempt(table, () => check(table))))
  return findings
}
