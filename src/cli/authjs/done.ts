import type { Database, LiveTable, TablePath } from '../core.js'
import { inspectors } from '../core.js'
import type { Opened } from '../database.js'
import type { NewTable, Notice, Step } from '../moving/model.js'
import { notice } from '../moving/model.js'
import { count } from './checks.js'
import type { MoveDialect } from './dialect.js'
import type { AuthjsOptions, AuthjsPlan } from './model.js'
import { nothing, prefix } from './model.js'
import type { Copying } from './rows.js'
import { isStillThere } from './rows.js'
import type { SourceTable } from './source.js'
import { candidatesFor, roleNames, sourceTable } from './source.js'
import type { Target } from './target.js'
import { mustColumn } from './target.js'

/** Everything that is left to do and to know once the plan has run. */
export async function done(
  db: Database,
  dialect: MoveDialect,
  target: Target,
  here: LiveTable[],
  { expiresIn }: AuthjsOptions,
): Promise<AuthjsPlan> {
  const old = here.filter(({ name }) => name.startsWith(prefix))
  const source = Object.fromEntries(roleNames.flatMap((role) => candidatesFor(role, old, prefix).map((table) => [role, table])))
  const copying: Copying = { dialect, source, target, expiresIn }
  const moved = notice('moved', [], 'the plan has run: the tables are those of Better Auth')
  if (old.length === 0) return { notices: [moved], ...nothing }
  const since = await writtenSince(db, copying)
  return {
    notices: [
      moved,
      oldSecrets(old),
      ...(since.length === 0
        ? []
        : [
            notice(
              'written-since',
              [],
              `written since the plan has run: ${since.join(', ')}. If you undo the plan, the users stay, and the rest is lost`,
              'The statements that undo the plan were printed with it.',
            ),
          ]),
    ],
    ...nothing,
    cleanup: cleanupOf(dialect, old),
  }
}

/** Tables of Auth.js that a plan has set aside in the current schema. */
export async function tablesSetAside({ db, dialect }: Opened): Promise<Notice[]> {
  const tables = (await inspectors[dialect].inspectAll(db, [])).filter(({ name }) => name.startsWith(prefix))
  const old = tables.filter((table) => roleNames.some((role) => candidatesFor(role, [table], prefix).length > 0))
  return old.length === 0 ? [] : [oldSecrets(old)]
}

export const oldSecrets = (old: TablePath[]) =>
  notice(
    'old-secrets',
    [],
    `${old.map(({ name }) => name).join(', ')} hold tokens that still work, and addresses`,
    'Once you are sure that you do not go back, run the statements of cleanup that doctor --from authjs prints.',
  )

export const cleanupOf = ({ path }: MoveDialect, old: TablePath[]): Step[] => [
  {
    about: 'Drop the old tables. They hold tokens that still work. After this, there is no way back',
    sql: old.map((table) => `DROP TABLE ${path(table)};`).sort(),
  },
]

async function writtenSince(db: Database, copying: Copying): Promise<string[]> {
  const { dialect, source, target } = copying
  const now = (table: NewTable): SourceTable => sourceTable({ ...table.path, columns: [], keys: [], foreignKeys: [] })
  const counts: string[] = []
  const add = async (what: string, table: NewTable, role: 'users' | 'sessions' | 'accounts', where?: string) => {
    const old = source[role]
    if (!old) return
    const found = (await count({ db, copying }, now(table), where)) - (await count({ db, copying }, old, isStillThere[role](copying, old)))
    if (found > 0) counts.push(`${found.toLocaleString('en')} ${what}${found === 1 ? '' : 's'}`)
  }
  await add('user', target.user, 'users')
  await add('session', target.session, 'sessions')
  await add(
    'account',
    target.account,
    'accounts',
    `o.${dialect.mover.quote(mustColumn(target.account, 'providerId').name)} <> 'credential'`,
  )
  return counts
}
