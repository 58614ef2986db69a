import { table } from '../../test/support/table.js'
import type { OfficialResults } from '../official/results.js'

/** What can happen to users, and the measurements that show it. `figure` adds the measured value to the name of the database. */
const risks: { risk: string; shownBy: string[]; figure?: (shown: string) => string }[] = [
  {
    risk: 'A sign-in link signs in everybody who opens it at the same moment. 20 links were opened 50 times each, so 20 of 1,000 attempts should succeed.',
    shownBy: ['one verification token, 50 uses at once, 20 rounds: winners'],
    figure: (shown) => `${shown} of 1,000`,
  },
  {
    risk: '`josé@example.com` signs in as `jose@example.com`, or the GitHub account `abcdef` as `AbCdEf`.',
    shownBy: ['`getUserByEmail` of `josé@…` where `jose@…` exists', '`getUserByAccount` of `abcdef` where `AbCdEf` is linked'],
  },
  {
    risk: 'A session token is accepted in the wrong case, or with a trailing space.',
    shownBy: ['`getSessionAndUser` of a session token in another case', '`getSessionAndUser` of a session token and a space'],
  },
  {
    risk: "A sign-in fails because the provider's token, the address of the picture or the key of the passkey is long.",
    shownBy: ['access token of 2,000, ID token of 4,000, image of 600, public key of 500 characters'],
  },
  {
    risk: 'A sign-in fails because the session, the access token or the passkey has a date after January 2038 or a counter above 2,147,483,647.',
    shownBy: ['a session that expires in 2040', 'an access token that expires in 2040; a counter of 2,147,483,648'],
  },
  {
    risk: "The error of a failed sign-in contains the user's OAuth tokens.",
    shownBy: ['secrets in the error of a `linkAccount` that fails, of 3'],
  },
  {
    risk: "A deleted user's accounts, sessions and passkeys stay in the database, if the tables have no foreign keys.",
    shownBy: ['rows that `deleteUser` leaves behind without foreign keys, of 3'],
  },
  { risk: "The app does not start with a database of Drizzle's `withReplicas`.", shownBy: ['a database of `withReplicas`'] },
]

/** Whether something happens, with the names of the databases unless it happens on all of them. */
function answer(results: OfficialResults, side: 'official' | 'ours', { shownBy, figure }: (typeof risks)[number]): string {
  const names = Object.keys(results.ours)
  const happens = names.flatMap((name) => {
    const measured = shownBy.map((what) => {
      const fact = results.facts[what]?.[name]
      if (!fact) throw new Error(`lab/results/official.json has no measurement "${what}"`)
      return fact[side]
    })
    const wrong = measured.find(({ right }) => !right)
    return wrong ? [figure ? `${name} (${figure(wrong.shown)})` : name] : []
  })
  if (happens.length === 0) return 'no'
  return happens.length === names.length ? '**on every database**' : `**on ${happens.join(', ')}**`
}

function passedTable({ ours, cases }: OfficialResults): string {
  const all = Object.values(cases)
  const passed = (name: string) => all.filter((failed) => !(name in failed)).length
  return table(
    ['cases passed', ...Object.keys(ours)],
    [
      ['`@auth/drizzle-adapter`', ...Object.keys(ours).map((name) => `${passed(name)} of ${all.length}`)],
      ['this adapter', ...Object.values(ours).map((count) => `${count} of ${all.length}`)],
    ],
  )
}

function summaryPage(results: OfficialResults): string {
  const { versions, drizzle1 } = results
  const rows = risks.map((risk) => [risk.risk, answer(results, 'official', risk), answer(results, 'ours', risk)])
  const unloadable = (loads: boolean) => (loads ? 'no' : '**on every database**')
  rows.push([
    `Nobody can sign in with Drizzle ${drizzle1.version}, because the adapter cannot be imported.`,
    unloadable(drizzle1.official),
    unloadable(drizzle1.ours),
  ])
  return `# Comparison with Auth.js's official adapter

What can happen to your users with \`@auth/drizzle-adapter\`, and with this adapter? Both were measured on real servers, each with its own
default tables. For Better Auth's own adapter, see [Better Auth](better-auth.md#how-it-was-tested).

${table(['Can this happen?', '`@auth/drizzle-adapter`', 'this adapter'], rows)}

Both adapters also ran the contract suite, [\`drizzle-auth-adapter/testing\`](testing.md):

${passedTable(results)}

To switch, see [moving from another adapter](moving.md).

Measured with ${versions.join(', ')}. \`npm run lab official\` measures again. The databases on MariaDB and MySQL use \`character set utf8mb4\` with the server's default collation.
`
}

/** The page that compares the official adapter with ours. */
export const officialPages = (results: OfficialResults): Record<string, string> => ({
  'docs/official.md': summaryPage(results),
})
