import { sql } from 'drizzle-orm'
import type { Database, LiveForeignKey, LiveKey } from '../core.js'
import { inspectors, read, sqlTokens } from '../core.js'
import type { Current, Move, Mover, NewTable, Notice, Step } from './model.js'
import {
  breakpoint,
  foreignKeysOf,
  formerPrimaryKey,
  looseKeys,
  nameInUse,
  nameKey,
  notice,
  primaryKeyOf,
  replacesPrimaryKey,
  sameList,
} from './model.js'
import {
  canStay,
  columnDefinition,
  createTable,
  foreignKey,
  isSame,
  isSameType,
  lackingForeignKeys,
  names,
  nowName,
  quote,
  rebuild,
  sameNames,
} from './rebuild.js'
import { decimalIds, isDateMode, textDates } from './rows.js'

async function readDatabase(db: Database): Promise<Current> {
  const objects = await read(
    db,
    { type: sql`m.type`, name: sql`m.name`, table: sql`m.tbl_name`, statement: sql`m.sql` },
    sql`sqlite_master m`,
    sql`1 = 1 order by m.rowid`,
  )
  const tables = await inspectors.sqlite.inspectAll(db, [])
  return {
    tables: tables.map((table) => ({ ...table, definition: withPlainSpaces(table.definition ?? '') })),
    dependents: [],
    texts: [],
    names: new Set(objects.filter(({ type }) => type !== 'trigger').map(({ name }) => nameKey('', String(name).toLowerCase()))),
    attached: objects
      .filter(({ type, statement }) => /^(index|trigger)$/.test(String(type)) && statement !== null)
      .map(({ table, name, statement }) => ({ table: String(table), name: String(name), statement: withPlainSpaces(String(statement)) })),
    pathOf: ({ name }) => ({ schema: '', name }),
  }
}

/** A definition is stored as it was written. Tabs and carriage returns between its parts are not printed. */
const withPlainSpaces = (statement: string) =>
  sqlTokens(statement)
    .map((token) => (/^(\s|--|\/\*)/.test(token) ? token.replaceAll(/[^\S\n]/g, ' ') : token))
    .join('')

function createMissing({ path, columns, foreignKeys, ...table }: NewTable): string {
  const primary = primaryKeyOf(table)
  const single = primary?.columns.length === 1 ? primary.columns[0] : undefined
  return createTable(path.name, [
    ...columns.map((column) => columnDefinition(column, column.name === single)),
    ...(primary && single === undefined ? [`PRIMARY KEY(${names(primary.columns)})`] : []),
    ...foreignKeys.map(foreignKey),
  ])
}

const createIndex = ({ path }: NewTable, { name, kind, columns }: LiveKey) =>
  `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(path.name)} (${names(columns)});`

/** The indexes to drop, because a declared one replaces them, and the indexes to create. */
function indexChanges(move: Move): { dropped: LiveKey[]; created: LiveKey[] } {
  const present = move.old.keys
    .filter(({ isPlain, kind }) => isPlain && kind !== 'primary')
    .map((key) => ({ ...key, columns: key.columns.map((name) => nowName(move, name)) }))
  const wanted = move.now.keys.filter(({ kind }) => kind !== 'primary')
  const isSameKey = (one: LiveKey, other: LiveKey) => one.kind === other.kind && sameList(one.columns, other.columns)
  // A unique constraint has no name of its own.
  const isThere = (key: LiveKey) => present.some((one) => isSameKey(one, key) && (one.isConstraint || isSame(one.name, key.name)))
  const isSuperseded = (one: LiveKey) => wanted.some((key) => isSameKey(one, key)) && !wanted.some((key) => isSame(key.name, one.name))
  return {
    dropped: present.filter((one) => !one.isConstraint && isSuperseded(one)),
    created: [...wanted.filter((key) => !isThere(key)), ...formerPrimaryKey(move)],
  }
}

function renames({ now, old, columns }: Move): string[] {
  const temporary = quote(`__old_${now.path.name}`)
  const table = quote(now.path.name)
  return [
    // SQLite ignores case in names, so a rename that only changes case takes two steps.
    ...(old.name === now.path.name
      ? []
      : isSame(old.name, now.path.name)
        ? [`ALTER TABLE ${quote(old.name)} RENAME TO ${temporary};`, `ALTER TABLE ${temporary} RENAME TO ${table};`]
        : [`ALTER TABLE ${quote(old.name)} RENAME TO ${table};`]),
    ...columns.flatMap(({ now: column, old: before }) =>
      before && before.name !== column.name ? [`ALTER TABLE ${table} RENAME COLUMN ${quote(before.name)} TO ${quote(column.name)};`] : [],
    ),
  ]
}

// Inside a transaction, SQLite ignores the pragma, and dropping the users table would delete every row that references it. The check
// fails in that case, and SQLite prints the name of the constraint as the error.
export const guard = [
  'PRAGMA foreign_keys = OFF;',
  'CREATE TABLE `__guard` (`on` integer CONSTRAINT `disable foreign keys before the transaction begins; nothing was changed` CHECK (`on` = 0));',
  'INSERT INTO `__guard` SELECT `foreign_keys` FROM pragma_foreign_keys;',
  'DROP TABLE `__guard`;',
]

/** The statements that rebuild a table, or why that is not possible. */
function tryRebuild(move: Move, moves: Move[], current: Current): { sql: string[]; notices: Notice[] } {
  try {
    return { sql: rebuild(move, moves, current), notices: [] }
  } catch {
    const message = 'SQLite would have to rebuild the table, and the plan does not support a part of its definition'
    const fix = 'Write this migration by hand, or simplify the definition of the table before you run the plan.'
    return { sql: [], notices: [notice('unsupported-table', [move.old.name], message, fix)] }
  }
}

const rebuildNotice = (rebuilt: Move[]) =>
  notice(
    'rebuild',
    [],
    `SQLite has to rebuild ${rebuilt.map(({ now }) => now.path.name).join(', ')}. drizzle-kit migrate runs in a transaction, where foreign keys cannot be disabled: there, the plan stops before it changes anything`,
    'Run the plan with sqlite3, or with migrate() on a connection that has foreign_keys off.',
  )

/** Foreign keys without column names reference the primary key, which changes. */
function implicitReferences(moves: Move[], current: Current): Notice[] {
  const isMoved = ({ target }: LiveForeignKey) => moves.some((move) => isSame(move.old.name, target.name) && replacesPrimaryKey(move))
  const isReplaced = ({ table, columns }: LiveForeignKey) =>
    moves.some(
      (move) =>
        isSame(move.old.name, table.name) && lackingForeignKeys(move, moves, current).some((key) => sameNames(key.columns, columns)),
    )
  return foreignKeysOf(current)
    .filter((key) => key.targetColumns.length === 0 && isMoved(key) && !isReplaced(key))
    .map(({ table, columns, target }) =>
      notice(
        'in-use',
        [table.name, columns],
        `the foreign key references the primary key of ${target.name} without naming its columns, and that key changes`,
        'Rebuild the table with the column names in its foreign key.',
      ),
    )
}

export const sqlite: Mover = {
  read: readDatabase,
  quote,
  noAddress: (id) => `${id} || '@no-email.invalid'`,
  lengthOf: (text) => `length(${text})`,
  isSameType,
  converts: (old, now) => old.holds === now.holds.holds || isDateMode(now) || (!old.isFilled && /^(text|bytes)$/.test(now.holds.holds)),
  rowChecks: [textDates, decimalIds],
  steps(moves, missing, current, rows) {
    const rebuilt = moves.filter((move) => !canStay(move, moves, current))
    const rebuilds = rebuilt.map((move) => ({ move, ...tryRebuild(move, moves, current) }))
    const tables = moves.map((move): Step => {
      const table = quote(move.now.path.name)
      const added = rebuilt.includes(move) ? [] : move.columns.filter(({ old }) => !old)
      const { dropped, created } = indexChanges(move)
      return {
        about: `Change the table ${move.now.path.name}`,
        sql: [
          ...added.map(({ now }) => `ALTER TABLE ${table} ADD COLUMN ${columnDefinition(now)};`),
          ...dropped.map(({ name }) => `DROP INDEX ${quote(name)};`),
          ...created.map((key) => createIndex(move.now, key)),
        ],
      }
    })
    const missingSql = missing.flatMap((table) => [
      createMissing(table),
      ...table.keys.filter(({ kind }) => kind !== 'primary').map((key) => createIndex(table, key)),
    ])
    const changes: Step[] = [
      rows,
      // With legacy_alter_table, views on a table that is temporarily missing do not make the renames fail.
      ...(rebuilt.length === 0
        ? []
        : [
            {
              about: 'Rebuild tables',
              sql: ['PRAGMA legacy_alter_table = ON;', ...rebuilds.flatMap((one) => one.sql), 'PRAGMA legacy_alter_table = OFF;'],
            },
          ]),
      { about: 'Rename tables and columns', sql: moves.flatMap(renames) },
      ...tables,
      { about: 'Create missing tables', sql: missingSql },
    ]
    const needed = [
      ...moves.flatMap(({ now, old }) => (isSame(now.path.name, old.name) ? [] : [now.path.name])),
      ...missing.flatMap(({ path, keys }) => [path.name, ...keys.map(({ name }) => name)]),
      ...moves.flatMap((move) => indexChanges(move).created.map(({ name }) => name)),
      ...(rebuilt.length > 0 ? ['__guard', ...rebuilt.map(({ old }) => `__new_${old.name}`)] : []),
    ].filter((name) => current.names.has(nameKey('', name.toLowerCase())))
    const notices = [
      ...needed.map(nameInUse),
      ...rebuilds.flatMap((one) => one.notices),
      ...implicitReferences(moves, current),
      ...looseKeys(moves),
    ]
    if (changes.every(({ sql }) => sql.length === 0)) return { steps: [], notices, changes: [] }
    return {
      steps: [
        ...(rebuilt.length > 0
          ? [{ about: 'Disable foreign keys: dropping a table would delete the rows that reference it', sql: guard }]
          : []),
        { about: 'Start a transaction, or a savepoint in the current one', sql: ['SAVEPOINT `moving`;'] },
        ...changes,
        { about: 'Commit, and restore settings', sql: ['RELEASE `moving`;', ...(rebuilt.length > 0 ? ['PRAGMA foreign_keys = ON;'] : [])] },
      ],
      changes: [],
      notices: rebuilt.length > 0 ? [...notices, rebuildNotice(rebuilt)] : notices,
    }
  },
  breakpointLine: breakpoint,
  howToRun: 'Run it with: sqlite3 -bail DATABASE < FILE, while the app is stopped.',
}
