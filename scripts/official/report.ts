/** The results on one database. */
export interface Result {
  /** The title of the column. */
  name: string
  /** For each case, the reason why the official adapter failed, or null if it passed. */
  cases: Map<string, string | null>
  /** How many cases our adapter passed. */
  ours: number
  /** The measured facts, for the official adapter and for ours. */
  facts: { what: string; official: { shown: string; right: boolean }; ours: { shown: string; right: boolean } }[]
}

const row = (cells: string[]) => `| ${cells.join(' | ')} |`
const table = (head: string[], rows: string[][]) => [row(head), `|${'---|'.repeat(head.length)}`, ...rows.map(row)].join('\n')
/** How many cases passed. */
export const passed = (cases: Map<string, string | null>) => [...cases.values()].filter((reason) => reason === null).length

/** The first error of each case that failed, and the databases on which it failed. */
function failureRows(results: Result[], titles: string[]): string[][] {
  return titles.flatMap((title) => {
    const reasons = new Set(results.flatMap(({ cases }) => cases.get(title) ?? []))
    const where = (reason: string) => results.filter(({ cases }) => cases.get(title) === reason).map(({ name }) => name)
    return [...reasons].map((reason) => [title, where(reason).join(', '), reason])
  })
}

/** The message of an error in one line, without the parts that differ in each run. */
export function reasonOf(error: Error): string {
  const { cause } = error
  const message = error.name === 'ContractViolation' ? error.message : `throws: ${(cause instanceof Error ? cause : error).message}`
  const line = message
    .replaceAll(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|[\da-f]{32,}/gi, '…')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:]{8}/g, '…')
    .replaceAll(/[\s|`\p{Cc}]+/gu, ' ')
    .replaceAll(/(.)\1{8,}/gu, '$1…')
    .trim()
  return line.length > 160 ? `${line.slice(0, 160)}…` : line
}

/** The text of docs/official.md. */
export function report(results: Result[], versions: string[], notes: string[]): string {
  const names = results.map(({ name }) => name)
  const [first] = results as [Result]
  const titles = [...first.cases.keys()]
  const cases = titles.map((title) => [title, ...results.map(({ cases }) => (cases.get(title) === null ? 'ok' : '**fails**'))])
  const facts = first.facts.map(({ what }, index) => {
    const of = results.map(({ facts }) => facts[index] as Result['facts'][number])
    const ours = [...new Set(of.map((fact) => fact.ours.shown))]
    return [what, ...of.map(({ official: { shown, right } }) => (right ? shown : `**${shown}**`)), ours.join(', ')]
  })
  return `# Against the official adapter

Both adapters, each over its own default tables, asked the same questions on real servers. The questions are the cases of
\`drizzle-auth-adapter/testing\`. This page is written by the script that asks them:

\`\`\`sh
npm run build
npx tsx scripts/official.ts          # asks, and writes this page
npx tsx scripts/official.ts --check  # asks, and fails where an answer is no longer the one below
\`\`\`

The script fails, too, where ours fails a case, or where the official adapter has come to do what the second table says it does not.
Databases on MariaDB and MySQL were created with \`character set utf8mb4\` and the collation that the server has for it.

Versions of this run: ${versions.join(', ')}.

## Cases

${table(
  ['passed', ...names],
  [
    ['official', ...results.map(({ cases }) => `${passed(cases)} of ${cases.size}`)],
    ['ours', ...results.map(({ cases, ours }) => `${ours} of ${cases.size}`)],
  ],
)}

The official adapter, case by case. A case fails as a whole where one of its questions does: some because another user's session is found,
some only because nothing is returned where ours returns the row. [Why](#why) has the first complaint of each.

${table(['case', ...names], cases)}

## Measured

Bold is what should not be.

${table(['', ...names.map((name) => `official, ${name}`), 'ours'], facts)}

${notes.join('\n')}

## Why

${table(['case', 'official, on', 'first complaint'], failureRows(results, titles))}
`
}

/** The cells of the table of cases in a page, by the name of the case and the column. */
function cellsOf(text: string): Map<string, Map<string, string>> {
  const cells = new Map<string, Map<string, string>>()
  let names: string[] = []
  for (const line of text.split('\n')) {
    const [name = '', ...values] = line.slice(2, -2).split(' | ')
    if (line === '## Measured') break
    if (line.startsWith('| case |')) names = values
    else if (names.length > 0 && line.startsWith('| '))
      cells.set(name, new Map(values.map((value, index) => [names[index] as string, value.replaceAll('*', '')])))
  }
  return cells
}

/** The differences between two such tables, in the columns of the second. */
export function differences(committed: string, now: string): string[] {
  const [before, after] = [cellsOf(committed), cellsOf(now)]
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name}: the suite no longer has this case`)
  const changed = [...after].flatMap(([name, cells]) =>
    [...cells].flatMap(([column, cell]) => {
      const old = before.get(name)?.get(column)
      return old === cell ? [] : [`${name}, ${column}: ${old ?? 'missing'} in the document, ${cell} now`]
    }),
  )
  return [...gone, ...changed]
}
