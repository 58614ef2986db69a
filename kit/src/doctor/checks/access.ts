import { finding } from '../finding.js'
import type { Check } from '../subject.js'

// The tables of the plugins of Better Auth 1.7 and of its own packages, by the names of their exports, which may have a prefix.
const plugins =
  /(jwks|passkey|twoFactor|organization|organizationRole|member|invitation|team|apikey|oauth\w+|ssoProvider|scimProvider|deviceCode|walletAddress|subscription)s?(Table)?$/i

/** Tables of the libraries and of plugins that others than the app can read or write. On Supabase, `anon` is everybody. */
export const exposed: Check = async ({ db, inspector, tables, attempt }) => {
  const theirs = tables.filter(({ about, exported }) => about.model !== 'others' || plugins.test(exported))
  const found = theirs.map((table) =>
    attempt(table, async () => {
      const exposure = await inspector.exposure?.(db, table.live)
      if (!exposure) return []
      const message = `without row level security, it can be read or written by ${exposure.roles}`
      return [finding('exposed', message, { table: table.name, fix: exposure.fix })]
    }),
  )
  return (await Promise.all(found)).flat()
}

/** What the adapter does not look for: it takes a statement that succeeded for done. */
export const rowChangers: Check = async ({ db, inspector, tables, attempt }) => {
  const own = tables.filter(({ about }) => about.model !== 'others')
  const found = own.map((table) =>
    attempt(table, async () => {
      const { foreignKeys, columns } = table.live
      const userId = columns.find(({ name }) => name === table.columns.find(({ field }) => field === 'userId')?.name)
      const nulling = foreignKeys.filter(
        (key) => / ON DELETE SET (NULL|DEFAULT)/.test(key.rules) && !key.columns.includes(userId?.name ?? ''),
      )
      const changers = [
        ...(await inspector.rowChangers(db, table.live)),
        ...nulling.map(({ name, target }) => `the foreign key ${name}, when a row of ${target.name} is deleted`),
      ]
      return changers.map((each) =>
        finding('changes-rows', `rows can be kept or changed behind a statement, which the adapter does not notice: by ${each}`, {
          table: table.name,
        }),
      )
    }),
  )
  return (await Promise.all(found)).flat()
}
