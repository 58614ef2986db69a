import { sql } from 'drizzle-orm'
import type { Database, LiveColumn, LiveKey, LiveTable, TablePath } from '../core.js'
import { decodeText, inspectors, read, samePath } from '../core.js'
import type { Syntax, TableChange, TypeChange } from './alter.js'
import { alterSteps } from './alter.js'
import type { Current, Dependent, Move, Mover, NewColumn, NewTable, Notice } from './model.js'
import { breakpoint, formerPrimaryKey, nameKey, notice } from './model.js'
import { zeroDates } from './rows.js'

const { quote, inspectAll } = inspectors.mysql

/** Tables of the current database have no schema prefix. */
const path = ({ schema, name }: TablePath) => (schema ? `${quote(schema)}.${quote(name)}` : quote(name))
const must = (value: unknown) => decodeText(value)
const text = (value: unknown) => (value === null || value === undefined ? '' : decodeText(value))

async function readDatabase(db: Database, schemas: string[]): Promise<Current> {
  const [server] = await read(
    db,
    { version: sql`version()`, schema: sql`database()`, folds: sql`@@lower_case_table_names` },
    sql`(select 1) as one`,
  )
  const nameOf = (name: string) => (Number(server?.folds) === 0 ? name : name.toLowerCase())
  const current = nameOf(must(server?.schema))
  const schemaOf = (schema: string) => (nameOf(schema) === current ? '' : nameOf(schema))
  const tables = await inspectAll(db, schemas.filter(Boolean))
  const all = [...new Set([current, ...tables.map(({ schema }) => schema || current)])]
  const rowsOf = (columns: Record<string, string>, from: string, schema: string) =>
    read(
      db,
      Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, sql.raw(column)])),
      sql.raw(from),
      sql`${sql.raw(schema)} in ${all}`,
    )
  const relations = await rowsOf({ schema: 't.table_schema', name: 't.table_name' }, 'information_schema.tables t', 't.table_schema')
  const constraints = await rowsOf(
    { schema: 't.constraint_schema', name: 't.constraint_name' },
    'information_schema.table_constraints t',
    't.constraint_schema',
  )
  const checks = await rowsOf(
    { schema: 'c.constraint_schema', table: 't.table_name', name: 'c.constraint_name', text: 'c.check_clause' },
    `information_schema.check_constraints c join information_schema.table_constraints t on t.constraint_schema = c.constraint_schema
      and t.constraint_name = c.constraint_name${/mariadb/i.test(must(server?.version)) ? ' and t.table_name = c.table_name' : ''}`,
    'c.constraint_schema',
  )
  const generated = await rowsOf(
    {
      schema: 'c.table_schema',
      table: 'c.table_name',
      name: 'c.column_name',
      text: `concat_ws(' ', c.generation_expression, c.column_default)`,
    },
    'information_schema.columns c',
    'c.table_schema',
  )
  const texts = [
    ['view', 'v.table_name', 'v.view_definition', 'views v', 'v.table_schema'],
    ['trigger', 'v.trigger_name', `concat(v.event_object_table, ' ', v.action_statement)`, 'triggers v', 'v.trigger_schema'],
    ['routine', 'v.routine_name', 'v.routine_definition', 'routines v', 'v.routine_schema'],
    ['event', 'v.event_name', 'v.event_definition', 'events v', 'v.event_schema'],
  ] as const
  const readers: Current['texts'] = []
  for (const [kind, name, definition, view, schema] of texts)
    for (const row of await rowsOf({ name, definition }, `information_schema.${view}`, schema))
      readers.push({ what: `${kind} ${must(row.name)}`, text: text(row.definition) })
  const mentioned = (rows: Record<string, unknown>[], kind: string) =>
    tables.flatMap((table) =>
      table.columns.flatMap(({ name: column }) =>
        rows
          .filter(
            (row) =>
              schemaOf(must(row.schema)) === table.schema &&
              nameOf(must(row.table)) === table.name &&
              (kind === 'check' || must(row.name) !== column) &&
              text(row.text).toLowerCase().includes(quote(column).toLowerCase()),
          )
          .flatMap((row): Dependent[] =>
            (['type', 'name'] as const).map((breaksOn) => ({ what: `${kind} ${must(row.name)}`, table, column, breaksOn })),
          ),
      ),
    )
  return {
    tables,
    database: current,
    texts: readers,
    dependents: [...mentioned(checks, 'check'), ...mentioned(generated, 'column')],
    names: new Set([
      ...relations.map(({ schema, name }) => nameKey(schemaOf(must(schema)), nameOf(must(name)))),
      ...constraints.map(({ schema, name }) => nameKey(schemaOf(must(schema)), must(name).toLowerCase())),
      ...tables.flatMap(({ schema, keys }) => keys.map(({ name }) => nameKey(schema, name.toLowerCase()))),
    ]),
    pathOf: ({ schema, name }) => ({ schema: schema && schemaOf(schema), name: nameOf(name) }),
  }
}

/** Normalizes a type: no display width of integers, one name for booleans. */
const plainType = (type: string) =>
  type
    .toLowerCase()
    .replace(/^bool(ean)?$/, 'tinyint')
    .replace(/^serial$/, 'bigint unsigned')
    .replace(/^((?:tiny|small|medium|big)?int)(?:eger)?\(\d+\)/, '$1')

const characterSetIn = (type: string) => / character set (\w+)/i.exec(type)?.[1]

function isSameType(old: LiveColumn, { type }: NewColumn): boolean {
  const characters = characterSetIn(type)
  const plain = type.replace(/ character set \w+/i, '')
  return plainType(old.type) === plainType(plain) && (characters === undefined || characters === old.characterSet)
}

const isBinary = (type: string) => /^(var)?binary|blob$/i.test(type)
const isText = (type: string) => /^((var)?char|(tiny|medium|long)?text|enum|set)\b/i.test(type)

/** Adds the column's character set and collation to a type that does not specify them. */
function inCollation(type: string, { characterSet, collation }: LiveColumn): string {
  const wanted = characterSetIn(type) ?? characterSet
  if (!isText(type) || collation === undefined || wanted !== characterSet || / collate /i.test(type)) return type
  return `${type}${characterSetIn(type) ? '' : ` CHARACTER SET ${characterSet}`} COLLATE ${collation}`
}

/** The full definition of a column for MODIFY, which drops everything that it does not repeat. */
function definition({ name, default: value, rest = '' }: LiveColumn, type: string, notNull: boolean): string {
  // For text, blob and json, MySQL only accepts an expression as the default.
  const given = value !== undefined && bytesOf(type) === undefined && !value.startsWith('(') ? `(${value})` : value
  return `MODIFY ${quote(name)} ${type} ${notNull ? 'NOT NULL' : 'NULL'}${given === undefined ? '' : ` DEFAULT ${given}`}${rest}`
}

const columnList = ({ columns }: LiveKey) => `(${columns.map(quote).join(', ')})`

const isConverted = ({ old, type }: TypeChange) => isBinary(type) && old.characterSet !== undefined && old.characterSet !== 'utf8mb4'

/** Older servers add a default to timestamps, which other types cannot have. */
const losesDefault = ({ holds, isOwn }: TypeChange) => holds.holds === 'date' && !isOwn

export const syntax: Syntax = {
  quote,
  path,
  isSameType,
  renameTable: (from, to) => `RENAME TABLE ${path(from)} TO ${path(to)};`,
  // Convert to utf8mb4 first: bytes of another character set would never match. utf8mb4_bin keeps different values different.
  prepareType(table, changes) {
    const actions = changes
      .filter(isConverted)
      .map(({ old }) => definition(old, `${old.type} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`, old.notNull))
    return actions.length === 0 ? [] : [`ALTER TABLE ${path(table)}\n  ${actions.join(',\n  ')};`]
  },
  changeType(change) {
    const { old, type, notNull, default: declared } = change
    const kept = losesDefault(change) ? { ...old, default: undefined, rest: (old.rest ?? '').replace(/ on update \S+/i, '') } : old
    return [definition({ ...kept, default: declared ?? kept.default }, inCollation(type, old), notNull)]
  },
  changeNull: (old, notNull) => definition(old, inCollation(old.type, old), notNull),
  nullIsDefinition: true,
  dropForeignKey: ({ table, name }) => `ALTER TABLE ${path(table)} DROP FOREIGN KEY ${quote(name)};`,
  dropPrimaryKey: () => 'DROP PRIMARY KEY',
  addKey: (key) =>
    key.kind === 'primary' ? `ADD PRIMARY KEY ${columnList(key)}` : `ADD CONSTRAINT ${quote(key.name)} UNIQUE ${columnList(key)}`,
  adoptKey: (table, old, now) =>
    old.name === now.name ? [] : [`ALTER TABLE ${path(table)} RENAME INDEX ${quote(old.name)} TO ${quote(now.name)};`],
  createIndex: (table, key) =>
    `CREATE ${key.kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(key.name)} ON ${path(table)} ${columnList(key)};`,
  columnDefinition: ({ name, type, notNull, default: value }) =>
    `${quote(name)} ${type}${notNull ? ' NOT NULL' : ''}${value === undefined ? '' : ` DEFAULT ${value}`}`,
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
function keyNotices({ table, columns }: TableChange, moves: Move[]): Notice[] {
  const move = moves.find(({ old }) => samePath(old, table))
  const changeOf = (name: string) => columns.find(({ oldName }) => oldName === name)
  const fix = 'Drop it before you run the plan. Afterwards, create it again if the new types allow it.'
  const refused = (message: string) => notice('in-use', [table.name], message, fix)
  const sizeOf = (name: string) => {
    const change = changeOf(name)
    const present = table.columns.find((column) => column.name === name)?.bytes ?? 8
    // On its way to bytes, text in another character set is stored in utf8mb4. Types such as text are not stored in the row.
    const between = change && isConverted(change) && bytesOf(change.old.type) !== undefined ? (change.old.length ?? 0) * 4 : 0
    return change ? Math.max(bytesOf(change.type) ?? 0, between) : present
  }
  const keyNotice = (key: LiveKey): Notice[] => {
    const changed = key.columns.filter((name) => name === '' || changeOf(name))
    if (changed.length === 0) return []
    const what = `the index ${key.name} on ${key.columns.map((name) => name || 'an expression').join(', ')}`
    if (!key.isPlain) return [refused(`${what} is not an ordinary index on whole columns, and the type of a column changes`)]
    const unlimited = changed.find((name) => bytesOf(changeOf(name)?.type ?? '') === undefined)
    if (unlimited !== undefined) return [refused(`${what} cannot be kept: ${unlimited} becomes ${changeOf(unlimited)?.type}`)]
    const size = key.columns.reduce((sum, name) => sum + sizeOf(name), 0)
    return size <= limits.key ? [] : [refused(`${what} would need ${size} bytes, and the limit is ${limits.key}`)]
  }
  const row = table.columns.reduce((sum, { name, type }) => {
    const isInRow = bytesOf(changeOf(name)?.type ?? type) !== undefined
    return sum + (isInRow ? sizeOf(name) + 2 : 12)
  }, 0)
  const date = table.columns.find(({ default: value }) => /^'0000-00-00/.test(value ?? ''))
  return [
    ...[...table.keys, ...(move ? formerPrimaryKey(move).map((key) => ({ ...key, columns: primaryColumns(table) })) : [])].flatMap(
      keyNotice,
    ),
    ...(row > limits.row ? [refused(`a row would need ${row} bytes, and the limit is ${limits.row}`)] : []),
    ...(date ? [refused(`the default of ${date.name} is not a valid date, so in strict mode the table cannot be changed`)] : []),
  ]
}

const primaryColumns = ({ keys }: LiveTable) => keys.find(({ kind }) => kind === 'primary')?.columns ?? []

function typeNotices({ table, columns }: TableChange): Notice[] {
  const name = table.name
  const dropped = columns.filter((change) => losesDefault(change) && (change.old.default ?? / on update /i.exec(change.old.rest ?? '')))
  const converted = columns.filter(
    ({ old, type }) => isText(type) && old.collation && characterSetIn(inCollation(type, old)) !== old.characterSet,
  )
  const place = (changes: TypeChange[]): [string, string[]] => [name, changes.map(({ oldName }) => oldName)]
  const defaults = 'the plan drops the default, and ON UPDATE if there is one (some servers add them to every timestamp)'
  const collations = 'the character set becomes utf8mb4, with its default collation'
  return [
    ...(dropped.length > 0 ? [notice('dropped-default', place(dropped), defaults)] : []),
    ...(converted.length > 0 ? [notice('collation', place(converted), collations)] : []),
  ]
}

export const mysql: Mover = {
  read: readDatabase,
  quote,
  noAddress: (id) => `CONCAT(${id}, '@no-email.invalid')`,
  lengthOf: (value) => `octet_length(convert(${value} using utf8mb4))`,
  isSameType,
  converts: (old, { holds }) =>
    old.holds === holds.holds
      ? holds.holds !== 'other' && (old.bits ?? 0) <= (holds.bits ?? 64)
      : !old.isFilled && holds.holds === 'text' && (/^(integer|boolean)$/.test(old.holds) || /^enum/i.test(old.type)),
  rowChecks: [zeroDates],
  steps(moves, missing: NewTable[], current, rows) {
    const { types, notices, ...plan } = alterSteps(syntax, moves, missing, current, rows)
    const hasTimestamps = types.some(({ columns }) =>
      columns.some(({ old, type }) => /^timestamp/i.test(old.type) && !/^timestamp/i.test(type)),
    )
    const own = types.flatMap((change) => [...keyNotices(change, moves), ...typeNotices(change)])
    return { ...plan, notices: [...notices, ...own, ...(hasTimestamps ? [timeZone] : [])] }
  },
  // MySQL's client treats a line that starts with # as a comment.
  breakpointLine: `#${breakpoint}`,
  howToRun: 'MySQL cannot roll back ALTER TABLE, so try the plan on a copy first. Run it with: mysql DATABASE < FILE',
}

const timeZone = notice(
  'time-zone',
  [],
  'timestamps are converted in the time zone of the session that runs the plan, which must be the time zone of your app',
  "If your app sets time_zone on its connections, add the same statement at the start of the plan: SET time_zone = '…';",
)
