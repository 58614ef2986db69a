import { table } from '../../test/support/table.js'
import type { DatabaseAnswers, OfficialResults } from '../official/results.js'
import { passed } from '../official/results.js'

/** The first error of each case that failed, and the databases on which it failed. */
function failureRows(databases: DatabaseAnswers[]): string[][] {
  return Object.keys(databases[0]?.cases ?? {}).flatMap((title) => {
    const reasons = new Set(databases.flatMap(({ cases }) => cases[title] ?? []))
    const where = (reason: string) => databases.filter(({ cases }) => cases[title] === reason).map(({ name }) => name)
    return [...reasons].map((reason) => [title, where(reason).join(', '), reason])
  })
}

/** The text of docs/official.md. */
export function officialPage({ versions, databases, drizzle1 }: OfficialResults): string {
  const names = databases.map(({ name }) => name)
  const [first] = databases as [DatabaseAnswers]
  const factRows = first.facts.map(({ what }, index) => {
    const answers = databases.map(({ facts }) => facts[index] as DatabaseAnswers['facts'][number])
    const ours = new Set(answers.map((fact) => fact.ours.shown))
    return [what, ...answers.map(({ official: { shown, right } }) => (right ? shown : `**${shown}**`)), [...ours].join(', ')]
  })
  const passedRows = [
    ['official', ...databases.map(({ cases }) => `${passed(cases)} of ${Object.keys(cases).length}`)],
    ['ours', ...databases.map(({ cases, ours }) => `${ours} of ${Object.keys(cases).length}`)],
  ]
  return `# Against the official adapter

Both adapters, each over its own default tables, asked the same questions on real servers. The questions are the cases of
\`drizzle-auth-adapter/testing\`. \`npm run official\` asks them again, and records the answers from which this page is written. It fails where
ours fails a case, or where the official adapter has come to do what the first table says it does not.

Databases on MariaDB and MySQL were created with \`character set utf8mb4\` and the collation that the server has for it.

Versions of this run: ${versions.join(', ')}.

## Measured

Bold is what should not be.

${table(['', ...names.map((name) => `official, ${name}`), 'ours'], factRows)}

With drizzle-orm ${drizzle1.version} the official adapter ${drizzle1.official ? 'can' : '**cannot**'} be imported; ours ${drizzle1.ours ? 'can' : 'cannot'}.

## Cases

${table(['passed', ...names], passedRows)}

## Why

The cases that the official adapter fails, and the first complaint of each. A case fails as a whole where one of its questions does: some because
another user's session is found, some only because nothing is returned where ours returns the row.

${table(['case', 'official, on', 'first complaint'], failureRows(databases))}
`
}
