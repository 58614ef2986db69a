import { inspectors, samePath } from '../core.js'
import { alterSteps } from '../moving/alter.js'
import type { NewColumn, NewTable } from '../moving/model.js'
import { mysql as mover, syntax } from '../moving/mysql.js'
import { restoreByAltering } from './alter.js'
import type { MoveDialect, UserMove } from './dialect.js'
import { liveColumn, renamedTable } from './dialect.js'
import { columnOf } from './target.js'
import { namesAndAddresses, newDates } from './users.js'

const { quote, path } = syntax
const { lowerCase } = inspectors.mysql
const text = (value: string) => `CONVERT(${value} USING utf8mb4)`
const exact = (value: string) => `CAST(${text(value)} AS BINARY)`

// The app reads dates as UTC, whatever the time zone of its session, so all of these are in UTC.
const moment = (_: unknown, seconds: number) => (seconds === 0 ? 'UTC_TIMESTAMP(3)' : `TIMESTAMPADD(SECOND, ${seconds}, UTC_TIMESTAMP(3))`)

/** Where the column stood. */
const position = ({ old, verified }: UserMove) => {
  const before = old.columns[old.columns.indexOf(verified.old) - 1]
  return before ? ` AFTER ${quote(before.name)}` : ' FIRST'
}

/** The names that MySQL gave to foreign keys without one. It changes them with the name of the table. */
const isCounted = (name: string, table: string) =>
  new RegExp(`^${table.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}_ibfk_\\d+$`, 'i').test(name)

const fullType = ({
  type,
  characterSet,
  collation,
}: {
  type: string
  characterSet?: string | undefined
  collation?: string | undefined
}) => (collation ? `${type} CHARACTER SET ${characterSet} COLLATE ${collation}` : type)

export const mysql: MoveDialect = {
  mover,
  path,
  nameLimit: 64,
  // UUID() alone can be evaluated once for all rows.
  newId: ({ holds }, seed) =>
    holds.holds === 'text' || holds.holds === 'uuid' ? `LEFT(SHA2(CONCAT(UUID(), ${seed}), 256), 32)` : undefined,
  moment,
  fromSeconds: (value) => `TIMESTAMPADD(SECOND, ${value}, '1970-01-01 00:00:00')`,
  date: (value) => value,
  text,
  concat: (...parts) => `CONCAT(${parts.join(', ')})`,
  earliest: (one, other) => `LEAST(${one}, ${other})`,
  same: (one, other) => `${exact(one)} = ${exact(other)}`,
  length: (value, { isBinary }) => `${isBinary ? 'OCTET_LENGTH' : 'CHAR_LENGTH'}(${text(value)})`,
  hasOtherLetters: (value) => `OCTET_LENGTH(${text(value)}) <> CHAR_LENGTH(${text(value)})`,
  isDate: ({ holds }) => holds === 'date',
  // The second part of the token is JSON in base64url, which needs the other alphabet and its padding.
  objectId(token) {
    const part = `REPLACE(REPLACE(SUBSTRING_INDEX(SUBSTRING_INDEX(${text(token)}, '.', 2), '.', -1), '-', '+'), '_', '/')`
    const decoded = `CONVERT(FROM_BASE64(RPAD(${part}, CEILING(LENGTH(${part}) / 4) * 4, '=')) USING utf8mb4)`
    return `CASE WHEN ${text(token)} LIKE '%.%.%' AND JSON_VALID(${decoded}) THEN JSON_UNQUOTE(JSON_EXTRACT(${decoded}, '$.oid')) END`
  },
  updateFrom: (table, other, set, on) =>
    `UPDATE ${path(table)} AS t JOIN ${path(other)} AS o ON ${on} SET ${set.map(([column, value]) => `t.${quote(column)} = ${value}`).join(', ')};`,
  collate(users, tables, { characterSet = 'utf8mb4', collation = 'utf8mb4_bin' }) {
    const adapt = (column: NewColumn | undefined) => {
      if (column && /^(var)?char/i.test(column.type)) column.type = `${column.type} CHARACTER SET ${characterSet} COLLATE ${collation}`
    }
    adapt(columnOf(users, 'id'))
    for (const { columns, foreignKeys } of tables)
      for (const key of foreignKeys.filter(({ target }) => samePath(target, users.path)))
        adapt(columns.find(({ name }) => name === key.columns[0]))
  },
  // Views, triggers and routines are texts of the catalog.
  attachedTo: async () => [],
  changesValues: () => false,
  keep({ old, kept, keptColumns }) {
    const key = quote(keptColumns[0]?.name ?? '')
    const reference = { name: `${kept.name}_id_fk`, table: kept, target: old, rules: ' ON DELETE CASCADE' }
    const columns = [keptColumns[0]?.name ?? '']
    return {
      sql: [
        `CREATE TABLE ${path(kept)} (PRIMARY KEY (${key})) AS SELECT ${keptColumns.map(({ name }) => quote(name)).join(', ')} FROM ${path(old)};`,
        `ALTER TABLE ${path(kept)} ADD CONSTRAINT ${quote(reference.name)} FOREIGN KEY (${key}) REFERENCES ${path(old)} (${key})${reference.rules};`,
      ],
      after: {
        ...kept,
        columns: keptColumns,
        keys: [{ kind: 'primary', name: 'PRIMARY', columns, isConstraint: true, isPlain: true }],
        foreignKeys: [{ ...reference, columns, targetColumns: columns }],
      },
    }
  },
  prepareUsers(move) {
    const { old, verified, kept, keptColumns } = move
    const [id = ''] = keptColumns.map(({ name }) => quote(name))
    const dates = newDates(move, mysql)
    // Without a value of its own, such a column would get the current time.
    const untouched = old.columns
      .filter(({ rest = '' }) => /on update/i.test(rest))
      .map(({ name }): [string, string] => [name, `t.${quote(name)}`])
    const set: [string, string][] = [
      [verified.now.name, `o.${quote(verified.old.name)} IS NOT NULL`],
      ...namesAndAddresses(move, (name) => `o.${quote(name)}`, lowerCase),
      ...dates.map(({ column, now }): [string, string] => [column.name, now]),
      ...untouched,
    ]
    return {
      sql: [
        `ALTER TABLE ${path(old)}\n  ${[
          `DROP COLUMN ${quote(verified.old.name)}`,
          `ADD COLUMN ${syntax.columnDefinition(verified.now)}${position(move)}`,
          ...dates.map(({ column }) => `ADD COLUMN ${quote(column.name)} ${column.type} NULL`),
        ].join(',\n  ')};`,
        mysql.updateFrom(old, kept, set, `o.${id} = t.${id}`),
      ],
      after: {
        ...old,
        columns: [
          ...old.columns.map((column) => (column === verified.old ? liveColumn(verified.now) : column)),
          ...dates.map(({ column }) => ({ ...liveColumn(column), notNull: false })),
        ],
      },
    }
  },
  setAside(table, to, renamed) {
    const after = renamedTable({ ...table, keys: [] }, to, renamed)
    const named = table.foreignKeys.filter(({ name }) => !isCounted(name, table.name))
    const change = (drop: (name: string) => string, add: (name: string) => string) =>
      named.length === 0
        ? []
        : [
            ...named.map(({ name }) => syntax.dropForeignKey({ name: drop(name), table } as never)),
            ...named.map(
              ({ name, columns, target, targetColumns, rules }) =>
                `ALTER TABLE ${path(table)} ADD CONSTRAINT ${quote(add(name))} FOREIGN KEY (${columns.map(quote).join(', ')}) REFERENCES ${path(target)} (${targetColumns.map(quote).join(', ')})${rules};`,
            ),
          ]
    const counted = (name: string) => name.replace(table.name, to.name)
    return {
      sql: [...change((name) => name, renamed), syntax.renameTable(table, to)],
      undo: [syntax.renameTable(to, table), ...change(renamed, (name) => name)],
      after: {
        ...after,
        keys: table.keys,
        foreignKeys: table.foreignKeys.map((key) => ({
          ...key,
          table: to,
          name: isCounted(key.name, table.name) ? counted(key.name) : renamed(key.name),
        })),
      },
    }
  },
  typeChanges: (move, missing, current) => alterSteps(syntax, [move], missing, current, { about: '', sql: [] }).types,
  restoreUsers(move, types, current) {
    const { old, kept, keptColumns } = move
    const { before, after } = restoreByAltering(
      {
        syntax,
        fullType,
        emptyVerified: ({ verified: { old: column } }) => [
          `DROP COLUMN ${quote(column.name)}`,
          syntax
            .changeType({ old: column, oldName: '', type: fullType(column), holds: column, notNull: false, isKey: false, isOwn: true })
            .join()
            .replace(/^MODIFY/, 'ADD COLUMN') + position(move),
        ],
        dropKey: (table, { name }) => `ALTER TABLE ${path(table)} DROP INDEX ${quote(name)};`,
        // Bytes are in utf8mb4, and would be read in the other character set.
        prepare(table, changes) {
          const converted = changes.filter(
            ({ old: { type }, type: before }) => /binary/i.test(type) && / CHARACTER SET (?!utf8mb4)/.test(before),
          )
          const actions = converted.map(
            ({ old: { name }, type }) =>
              `MODIFY ${quote(name)} ${type.replace(/ CHARACTER SET .*/, '')} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
          )
          return actions.length === 0 ? [] : [`ALTER TABLE ${path(table)}\n  ${actions.join(',\n  ')};`]
        },
      },
      move,
      types,
      current,
    )
    const [id = '', ...columns] = keptColumns.map(({ name }) => name)
    const untouched = old.columns
      .filter(({ rest = '' }) => /on update/i.test(rest))
      .map(({ name }): [string, string] => [name, `t.${quote(name)}`])
    const set = [...columns.map((name): [string, string] => [name, `o.${quote(name)}`]), ...untouched]
    return [...before, mysql.updateFrom(old, kept, set, `o.${quote(id)} = t.${quote(id)}`), ...after]
  },
  dropTables: (tables) => [
    `DROP TABLE ${referencingFirst(tables)
      .map((table) => path(table.path))
      .join(', ')};`,
  ],
  inTransaction: (steps) => steps,
}

/** Tables in an order in which each can be dropped. */
function referencingFirst(tables: NewTable[]): NewTable[] {
  const isReferenced = (table: NewTable) =>
    tables.some((other) => other !== table && other.foreignKeys.some(({ target }) => samePath(target, table.path)))
  const [next = tables[0]] = tables.filter((table) => !isReferenced(table))
  return next ? [next, ...referencingFirst(tables.filter((table) => table !== next))] : []
}
