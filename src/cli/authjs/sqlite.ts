import { sql } from 'drizzle-orm'
import type { ColumnType } from '../core.js'
import { inspectors, read } from '../core.js'
import { mentions } from '../moving/obstacles.js'
import { createTable, isSame, names, quote } from '../moving/rebuild.js'
import { guard, sqlite as mover } from '../moving/sqlite.js'
import type { MoveDialect } from './dialect.js'
import { renamedTable } from './dialect.js'
import { namesAndAddresses } from './users.js'

const path = ({ name }: { name: string }) => quote(name)

/** Milliseconds, or seconds where Drizzle's mode is `timestamp`. */
const inUnit = (milliseconds: string, { fraction }: ColumnType) => (fraction === 0 ? `((${milliseconds}) / 1000)` : milliseconds)

/** Other adapters store dates as text, or as seconds. No date in milliseconds since 1973 is that small. */
const milliseconds = (value: string) =>
  `CASE WHEN typeof(${value}) = 'text' THEN CAST(strftime('%s', ${value}) AS INTEGER) * 1000 + CAST(substr(strftime('%f', ${value}), 4) AS INTEGER) WHEN abs(${value}) < 100000000000 THEN ${value} * 1000 ELSE ${value} END`

export const sqlite: MoveDialect = {
  mover,
  path,
  nameLimit: Number.POSITIVE_INFINITY,
  // The first statements only change settings of the connection.
  alreadyRun: ({ name }, key) => `UPDATE ${quote(name)} SET ${quote(key)} = ${quote(key)} WHERE 0;`,
  newId: ({ holds }) => (holds.holds === 'text' ? 'lower(hex(randomblob(16)))' : undefined),
  moment: (column, seconds) => inUnit(`CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER) + ${seconds * 1000}`, column),
  fromSeconds: (value, column) => (column.fraction === 0 ? value : `${value} * 1000`),
  date: (value, _, to) => inUnit(milliseconds(value), to),
  isUnreadable: (value) => `(typeof(${value}) = 'text' AND strftime('%s', ${value}) IS NULL)`,
  text: (value) => value,
  concat: (...parts) => parts.join(' || '),
  earliest: (one, other) => `min(${one}, ${other})`,
  same: (one, other) => `${one} = ${other} COLLATE BINARY`,
  length: (text) => `length(${text})`,
  hasOtherLetters: (text) => `length(CAST(${text} AS BLOB)) <> length(${text})`,
  isDate: ({ holds }) => holds === 'integer' || holds === 'text' || holds === 'number',
  updateFrom: (table, other, set, on) =>
    `UPDATE ${path(table)} AS t SET ${set.map(([column, value]) => `${quote(column)} = ${value}`).join(', ')} FROM ${path(other)} AS o WHERE ${on};`,
  async attachedTo(db, tables) {
    const rows = await read(
      db,
      { what: sql`m.type || ' ' || m.name`, text: sql`m.sql` },
      sql`sqlite_master m`,
      sql`m.type in ('trigger', 'view')`,
    )
    return tables.flatMap((table) =>
      rows.filter(({ text }) => mentions(String(text), table.name)).map(({ what }) => ({ table, what: String(what) })),
    )
  },
  changesValues: (_, { field }) => field === 'createdAt' || field === 'updatedAt',
  keep({ old, kept, keptColumns }) {
    const [id] = keptColumns.map(({ name }) => name)
    const columns = keptColumns.map(({ name, type }, index) => `${quote(name)} ${type}${index === 0 ? ' PRIMARY KEY NOT NULL' : ''}`)
    const reference = `FOREIGN KEY (${quote(id ?? '')}) REFERENCES ${quote(old.name)}(${quote(id ?? '')}) ON DELETE CASCADE`
    const list = names(keptColumns.map(({ name }) => name))
    return {
      sql: [
        createTable(kept.name, [...columns, reference]),
        `INSERT INTO ${quote(kept.name)} (${list}) SELECT ${list} FROM ${quote(old.name)};`,
      ],
      after: { ...kept, columns: keptColumns, keys: [], foreignKeys: [] },
    }
  },
  prepareUsers(move) {
    const { old, verified, columns } = move
    const converted = columns.flatMap(({ now, old: column }): [string, string][] =>
      column && sqlite.changesValues(column, now) ? [[column.name, sqlite.date(quote(column.name), column, now.holds)]] : [],
    )
    const set: [string, string][] = [
      ...namesAndAddresses(move, quote, inspectors.sqlite.lowerCase),
      [verified.old.name, `${quote(verified.old.name)} IS NOT NULL`],
      ...converted,
    ]
    // The type that was written may have the same affinity and another name: the table gets the declared one when it is rebuilt.
    const isOther = (name: string) =>
      columns.some(({ now, old: column }) => column?.name === name && column.type.toLowerCase() !== now.type.toLowerCase())
    return {
      sql: [`UPDATE ${quote(old.name)} SET ${set.map(([column, value]) => `${quote(column)} = ${value}`).join(', ')};`],
      after: { ...old, columns: old.columns.map((column) => (isOther(column.name) ? { ...column, holds: 'other' } : column)) },
    }
  },
  setAside(table, to, renamed, { attached = [] }) {
    const indexes = attached.filter((one) => isSame(one.table, table.name))
    const after = renamedTable(table, to, renamed)
    const kept = after.keys.filter((key, index) => key.isPlain && indexes.some(({ name }) => name === table.keys[index]?.name))
    return {
      sql: [
        ...indexes.map(({ name }) => `DROP INDEX ${quote(name)};`),
        `ALTER TABLE ${quote(table.name)} RENAME TO ${quote(to.name)};`,
        ...kept.map(
          ({ kind, name, columns }) =>
            `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${quote(to.name)} (${names(columns)});`,
        ),
      ],
      undo: [
        ...kept.map(({ name }) => `DROP INDEX ${quote(name)};`),
        `ALTER TABLE ${quote(to.name)} RENAME TO ${quote(table.name)};`,
        ...indexes.map(({ statement }) => `${statement};`),
      ],
      after,
    }
  },
  typeChanges: () => [],
  restoreUsers({ old, now, columns, others, kept, keptColumns }, _, { attached = [] }) {
    const temporary = quote(`__new_${old.name}`)
    const [id, ...changed] = keptColumns.map(({ name }) => name)
    const nowOf = (name: string) => columns.find((column) => column.old?.name === name)?.now.name ?? name
    const written = [...columns.flatMap((column) => column.old ?? []), ...others].filter(({ isGenerated }) => !isGenerated)
    const values = written.map(({ name }) => (changed.includes(name) ? `o.${quote(name)}` : `t.${quote(nowOf(name))}`))
    const rowid = /\bwithout\s+rowid\b/i.test(old.definition ?? '') ? [] : ['rowid']
    return [
      ...(old.name === now.path.name
        ? []
        : isSame(old.name, now.path.name)
          ? [`ALTER TABLE ${quote(now.path.name)} RENAME TO ${temporary};`, `ALTER TABLE ${temporary} RENAME TO ${quote(old.name)};`]
          : [`ALTER TABLE ${quote(now.path.name)} RENAME TO ${quote(old.name)};`]),
      'PRAGMA legacy_alter_table = ON;',
      `ALTER TABLE ${quote(old.name)} RENAME TO ${temporary};`,
      `${old.definition};`,
      `INSERT INTO ${quote(old.name)} (${[...rowid, names(written.map(({ name }) => name))].join(', ')}) SELECT ${[...rowid.map((name) => `t.${name}`), ...values].join(', ')} FROM ${temporary} AS t JOIN ${quote(kept.name)} AS o ON o.${quote(id ?? '')} = t.${quote(nowOf(id ?? ''))};`,
      `DROP TABLE ${temporary};`,
      'PRAGMA legacy_alter_table = OFF;',
      ...attached.filter(({ table }) => isSame(table, old.name)).map(({ statement }) => `${statement};`),
    ]
  },
  dropTables: (tables) => tables.map((table) => `DROP TABLE ${path(table.path)};`),
  inTransaction: (steps) => [
    { about: 'Disable foreign keys: dropping a table would delete the rows that reference it', sql: guard },
    { about: 'Start a transaction, or a savepoint in the current one', sql: ['SAVEPOINT `moving`;'] },
    ...steps,
    { about: 'Commit, and restore settings', sql: ['RELEASE `moving`;', 'PRAGMA foreign_keys = ON;'] },
  ],
}
