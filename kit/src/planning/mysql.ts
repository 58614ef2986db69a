import { inspectors } from '../doctor/index.js'
import type { ColumnType, LiveColumn, LiveForeignKey, LiveKey, LiveTable, TablePath } from '../doctor/inspector.js'
import type { Action, Catalog, Dialect, NewColumn, TypeChange } from './model.js'
import { breakpoint, literal, liveColumn } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'
import { standard } from './render.js'

const { quote } = inspectors.mysql

/** Tables of the current database have no schema prefix. */
const path = ({ schema, name }: TablePath) => (schema ? `${quote(schema)}.${quote(name)}` : quote(name))
/** A backslash in a text is an escape. */
const literalOf = (text: string) => literal(text).replaceAll('\\', '\\\\')
const { list, alter, addForeignKey, update, render } = standard(quote, path, literalOf)
const text = (value: string) => `CONVERT(${value} USING utf8mb4)`
const exact = (value: string) => `CAST(${text(value)} AS BINARY)`

/** Normalizes a type: no display width of integers, one name for booleans. */
const plainType = (type: string) =>
  type
    .toLowerCase()
    .replace(/^bool(ean)?$/, 'tinyint')
    .replace(/^serial$/, 'bigint unsigned')
    .replace(/^((?:tiny|small|medium|big)?int)(?:eger)?\(\d+\)/, '$1')

const characterSetIn = (type: string) => / character set (\w+)/i.exec(type)?.[1]
const collationIn = (type: string) => / collate (\w+)/i.exec(type)?.[1]
const isBinary = (type: string) => /^(var)?binary|blob$/i.test(type)
const isText = (type: string) => /^((var)?char|(tiny|medium|long)?text|enum|set)\b/i.test(type)
const isTimestamp = (type = '') => /^timestamp/i.test(type)

/** The type with the column's character set and collation, unless it specifies others. */
function fullType(type: string, { characterSet, collation }: LiveColumn): string {
  const wanted = characterSetIn(type) ?? characterSet
  if (!isText(type) || collation === undefined || wanted !== characterSet || collationIn(type)) return type
  return `${type}${characterSetIn(type) ? '' : ` CHARACTER SET ${characterSet}`} COLLATE ${collation}`
}

/** The full definition of a column for MODIFY, which drops everything that it does not repeat. */
function definition(given: LiveColumn | NewColumn): string {
  const column = ('live' in given && given.live) || given
  const type = 'field' in column ? column.type : fullType(column.type, column)
  const { name, notNull, default: value } = column
  // For text, blob and json, MySQL only accepts an expression as the default.
  const filled = value !== undefined && bytesOf(type) === undefined && !value.startsWith('(') ? `(${value})` : value
  const rest = 'rest' in column ? (column.rest ?? '') : ''
  return `${quote(name)} ${type} ${notNull ? 'NOT NULL' : 'NULL'}${filled === undefined ? '' : ` DEFAULT ${filled}`}${rest}`
}

const keyClause = ({ kind, name, columns }: LiveKey) => {
  if (kind === 'primary') return `PRIMARY KEY (${list(columns)})`
  return kind === 'unique' ? `CONSTRAINT ${quote(name)} UNIQUE (${list(columns)})` : `INDEX ${quote(name)} (${list(columns)})`
}

/** Bytes are in utf8mb4, so text in another character set is converted on its way to bytes, and back. */
function between({ from, to }: Extract<Action, { do: 'retype' }>): string[] {
  const column = isBinary(to.type) ? from : isBinary(from.type) ? to : undefined
  if (!column?.characterSet || column.characterSet === 'utf8mb4') return []
  return [
    `MODIFY ${definition({ ...column, type: `${column.type} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`, default: undefined, notNull: false, rest: '' })}`,
  ]
}

function clausesOf(action: Action): string[] {
  switch (action.do) {
    case 'add':
      return [`ADD COLUMN ${definition(action.column)}`]
    case 'drop':
      return [`DROP COLUMN ${quote(action.column.name)}`]
    case 'retype':
      return [`MODIFY ${definition(action.to)}`]
    case 'addKey':
      return [`ADD ${keyClause(action.key)}`]
    case 'dropKey':
      return [action.key.kind === 'primary' ? 'DROP PRIMARY KEY' : `DROP INDEX ${quote(action.key.name)}`]
  }
}

/** InnoDB's limits with pages of 16 kB. */
const limits = { key: 3072, row: 65_535 }

/** The bytes that a column of this type takes in a key. Returns undefined if the type cannot be in a key. */
function bytesOf(type: string): number | undefined {
  const [, name = '', size] = /^(\w+)(?:\((\d+)\))?/.exec(type.toLowerCase()) ?? []
  if (/blob|text|json/.test(name)) return undefined
  if (/char$/.test(name)) return Number(size) * 4
  return /binary$/.test(name) ? Number(size) : 8
}

/** Keys and rows that become too long with the new types, or that MySQL does not support with them. */
function keyNotices(table: LiveTable, types: TypeChange[]): Notice[] {
  const changeOf = (name: string) => types.find(({ old }) => old.name === name)
  const fix = 'Drop it before you run the plan. Afterwards, create it again if the new types allow it.'
  const refused = (message: string) => notice('in-use', [table.name], message, fix)
  const sizeOf = (name: string) => {
    const change = changeOf(name)
    const present = table.columns.find((column) => column.name === name)?.bytes ?? 8
    const isConverted = change && isBinary(change.now.type) && change.old.characterSet && change.old.characterSet !== 'utf8mb4'
    // On its way to bytes, text in another character set is stored in utf8mb4. Types such as text are not stored in the row.
    const between = isConverted && bytesOf(change.old.type) !== undefined ? (change.old.length ?? 0) * 4 : 0
    return change ? Math.max(bytesOf(change.now.type) ?? 0, between) : present
  }
  const keyNotice = (key: LiveKey): Notice[] => {
    const changed = key.columns.filter((name) => name === '' || changeOf(name))
    if (changed.length === 0) return []
    const what = `the index ${key.name} on ${key.columns.map((name) => name || 'an expression').join(', ')}`
    if (!key.isPlain) return [refused(`${what} is not an ordinary index on whole columns, and the type of a column changes`)]
    const unlimited = changed.find((name) => bytesOf(changeOf(name)?.now.type ?? '') === undefined)
    if (unlimited !== undefined) return [refused(`${what} cannot be kept: ${unlimited} becomes ${changeOf(unlimited)?.now.type}`)]
    const size = key.columns.reduce((sum, name) => sum + sizeOf(name), 0)
    return size <= limits.key ? [] : [refused(`${what} would need ${size} bytes, and the limit is ${limits.key}`)]
  }
  const row = table.columns.reduce((sum, { name, type }) => {
    const isInRow = bytesOf(changeOf(name)?.now.type ?? type) !== undefined
    return sum + (isInRow ? sizeOf(name) + 2 : 12)
  }, 0)
  const date = table.columns.find(({ default: value }) => /^'0000-00-00/.test(value ?? ''))
  return [
    ...table.keys.flatMap(keyNotice),
    ...(row > limits.row ? [refused(`a row would need ${row} bytes, and the limit is ${limits.row}`)] : []),
    ...(date ? [refused(`the default of ${date.name} is not a valid date, so in strict mode the table cannot be changed`)] : []),
  ]
}

/** Older servers add a default to timestamps, which other types cannot have. */
const losesDefault = ({ now, isOwn }: TypeChange) => now.holds.holds === 'date' && !isOwn

function defaultNotices({ name }: LiveTable, types: TypeChange[]): Notice[] {
  const dropped = types.filter((change) => losesDefault(change) && (change.old.default ?? / on update /i.exec(change.old.rest ?? '')))
  const names = dropped.map(({ old }) => old.name)
  return names.length > 0 ? [notice('dropped-default', [name, names])] : []
}

export function createMysql({ timeZone = '+00:00', characterSet = 'utf8mb4', collation, database = '' }: Catalog): Dialect {
  const inZone = (value: string, from: string, to: string) => (timeZone === '+00:00' ? value : `CONVERT_TZ(${value}, ${from}, ${to})`)
  const [zone, utc] = [literal(timeZone), literal('+00:00')]
  // A timestamp is a point in time, which each session shows in its time zone. What the app wrote and reads, as UTC, is what its sessions show.
  const readTimestamp = (value: string) =>
    inZone(`TIMESTAMPADD(MICROSECOND, ROUND(UNIX_TIMESTAMP(${value}) * 1000000), '1970-01-01')`, utc, zone)
  const toTimestamp = (date: string) => `FROM_UNIXTIME(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', ${inZone(date, zone, utc)}) / 1000000)`
  const asHeld = (date: string, { endsIn2038 }: ColumnType) => (endsIn2038 ? toTimestamp(date) : date)
  const convertDate = (value: string, from: ColumnType, to: ColumnType) => {
    if (from.endsIn2038 === to.endsIn2038) return value
    return from.endsIn2038 ? `CAST(${readTimestamp(value)} AS DATETIME(${to.fraction ?? 0}))` : toTimestamp(value)
  }
  // Without a schema, a table in another database would reference its own database.
  const withSchema = ({ table, target, ...key }: LiveForeignKey) =>
    addForeignKey({ ...key, table, target: table.schema && !target.schema ? { ...target, schema: database } : target })
  const isSameType = (old: LiveColumn, { type }: Pick<NewColumn, 'type'>) => {
    const characters = characterSetIn(type)
    const sameCollation = collationIn(type) === undefined || collationIn(type) === old.collation
    const plain = type.replace(/ character set \w+/i, '').replace(/ collate \w+/i, '')
    return plainType(old.type) === plainType(plain) && (characters === undefined || characters === old.characterSet) && sameCollation
  }

  return {
    quote,
    path,
    nameLimit: 64,
    namesKeysByTable: true,
    longText: 'mediumtext character set utf8mb4',
    // MySQL's client treats a line that starts with # as a comment.
    breakpointLine: `#${breakpoint}`,
    howToRun: 'MySQL cannot roll back ALTER TABLE, so try the plan on a copy first. Run it with: mysql DATABASE < FILE',
    render: {
      ...render,
      // A subquery with two rows is an error.
      stop: ({ when }) => [`SET @stop = (SELECT 1 UNION ALL SELECT 1 FROM DUAL WHERE ${when});`],
      create: ({ table: { path: table, columns, keys } }) => [
        `CREATE TABLE ${path(table)} (\n  ${[...columns.map(definition), ...keys.map(keyClause)].join(',\n  ')}\n);`,
      ],
      link: ({ keys }) => keys.map(withSchema),
      unlink: ({ keys }) => keys.map(({ table, name }) => `ALTER TABLE ${path(table)} DROP FOREIGN KEY ${quote(name)};`),
      alter: ({ table, actions }) => [
        ...alter(
          table,
          actions.flatMap((action) => (action.do === 'retype' ? between(action) : [])),
        ),
        ...alter(table, actions.flatMap(clausesOf)),
      ],
      // Without a value of its own, a column with ON UPDATE would get the current time. MySQL assigns in order, so nothing may read a column
      // that an earlier assignment has changed.
      fill: ({ table, set, untouched }) => [update(table, [...set, ...untouched.map((name) => ({ column: name, value: quote(name) }))])],
      renameKeys: ({ keys }) =>
        keys.map(({ table, from, to }) => `ALTER TABLE ${path(table)} RENAME INDEX ${quote(from)} TO ${quote(to)};`),
      renameTables: ({ tables }) => [`RENAME TABLE ${tables.map(([from, to]) => `${path(from)} TO ${path(to)}`).join(', ')};`],
    },

    deleteFrom: (table) => `DELETE o FROM ${path(table)} AS o`,
    exists: ({ schema, name }) =>
      `EXISTS (SELECT 1 FROM information_schema.tables WHERE table_schema = ${schema ? literal(schema) : 'DATABASE()'} AND table_name = ${literal(name)})`,
    text,
    concat: (...parts) => `CONCAT(${parts.join(', ')})`,
    earliest: (one, other) => `LEAST(${one}, ${other})`,
    same: (one, other) => `${exact(one)} = ${exact(other)}`,
    equals: (one, other) => `(${one}) <=> (${other})`,
    length: (value, column) => `${column.isBinary ? 'OCTET_LENGTH' : 'CHAR_LENGTH'}(${text(value)})`,
    hasOtherLetters: (value) => `OCTET_LENGTH(${text(value)}) <> CHAR_LENGTH(${text(value)})`,
    fitsCharacterSet(value, type) {
      const characters = characterSetIn(type) ?? characterSet
      if (!isText(type) || /^utf(8mb4|16|16le|32)$/.test(characters)) return undefined
      return `CAST(CONVERT(CONVERT(${text(value)} USING ${characters}) USING utf8mb4) AS BINARY) = ${exact(value)}`
    },
    comparable(value, { type, holds }) {
      if (holds.holds !== 'text') return value
      if (isBinary(type)) return exact(value)
      const characters = characterSetIn(type) ?? characterSet
      const chosen = collationIn(type) ?? (characters === characterSet && !characterSetIn(type) ? collation : undefined)
      return `CONVERT(${value} USING ${characters})${chosen ? ` COLLATE ${chosen}` : ''}`
    },
    // UUID() alone can be evaluated once for all rows.
    newId: ({ holds }, seed) =>
      holds.holds === 'text' || holds.holds === 'uuid' ? `LEFT(SHA2(CONCAT(UUID(), ${seed}), 256), 32)` : undefined,
    moment: (column, seconds) => asHeld(seconds === 0 ? 'UTC_TIMESTAMP(3)' : `TIMESTAMPADD(SECOND, ${seconds}, UTC_TIMESTAMP(3))`, column),
    fromSeconds: (value, column) => asHeld(`TIMESTAMPADD(SECOND, ${value}, '1970-01-01 00:00:00')`, column),
    date: convertDate,
    isDate: ({ holds }) => holds === 'date',
    isUnreadable: (value) => `(YEAR(${value}) = 0 OR MONTH(${value}) = 0 OR DAYOFMONTH(${value}) = 0)`,
    isVerified: (value) => `${value} IS NOT NULL`,
    // The second part of the token is JSON in base64url, which needs the other alphabet and its padding.
    objectId(token) {
      const part = `REPLACE(REPLACE(SUBSTRING_INDEX(SUBSTRING_INDEX(${text(token)}, '.', 2), '.', -1), '-', '+'), '_', '/')`
      const decoded = `CONVERT(FROM_BASE64(RPAD(${part}, CEILING(LENGTH(${part}) / 4) * 4, '=')) USING utf8mb4)`
      return `CASE WHEN ${text(token)} LIKE '%.%.%' AND JSON_VALID(${decoded}) THEN JSON_UNQUOTE(JSON_EXTRACT(${decoded}, '$.oid')) END`
    },
    isSameType,
    converts: (old, { holds }) =>
      old.holds === holds.holds
        ? holds.holds !== 'other' && (old.bits ?? 0) <= (holds.bits ?? 64)
        : !old.isFilled && holds.holds === 'text' && (/^(integer|boolean)$/.test(old.holds) || /^enum/i.test(old.type)),
    canRetype: (old, { type }) => isTimestamp(old.type) === isTimestamp(type),
    retyped(change) {
      const { old, now } = change
      const kept =
        losesDefault(change) && !isSameType(old, now)
          ? { ...old, default: undefined, rest: old.rest?.replace(/ on update \S+/i, '') ?? '' }
          : old
      return {
        ...liveColumn({ ...now, type: fullType(now.type, old), default: now.default ?? kept.default }),
        name: old.name,
        rest: kept.rest ?? '',
      }
    },
    adapt(users, tables, id) {
      const give = (column: NewColumn | undefined) => {
        if (column && /^(var)?char/i.test(column.type) && !characterSetIn(column.type))
          column.type = `${column.type} CHARACTER SET ${id.characterSet ?? 'utf8mb4'} COLLATE ${id.collation ?? 'utf8mb4_bin'}`
      }
      give(users.columns.find(({ field }) => field === 'id'))
      for (const { columns, foreignKeys } of tables)
        for (const key of foreignKeys.filter(({ target }) => target.name === users.path.name && target.schema === users.path.schema))
          give(columns.find(({ name }) => name === key.columns[0]))
    },
    notices: (table, types) => [...keyNotices(table, types), ...defaultNotices(table, types)],
  }
}
