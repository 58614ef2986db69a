import type { Database } from 'drizzle-auth-adapter/internal'
import { problemsOf, sql, textOfBytes } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/mysql-core'
import type { Finding } from './finding.js'
import { finding } from './finding.js'
import type { ColumnType, Declaration, Inspector, LiveColumn, LiveTable, ServerCheck, TableName } from './inspector.js'
import { groupBy, read, readOne } from './inspector.js'

const quote = (name: string) => `\`${name.replaceAll('`', '``')}\``
const one = sql`(select 1) as one`

const bitsOf: Record<string, number> = { smallint: 15, mediumint: 23, int: 31, bigint: 63 }
const lengths: Record<string, number> = { tinytext: 255, tinyblob: 255, text: 65_535, blob: 65_535 }
const unlimited = /^(medium|long)(text|blob)$/
const others: Record<string, ColumnType['holds']> = {
  tinyint: 'boolean',
  bool: 'boolean',
  boolean: 'boolean',
  json: 'json',
  date: 'day',
  uuid: 'uuid',
  decimal: 'number',
  float: 'number',
  double: 'number',
}

// Binary types count as text: they hold its bytes, and compare exactly.
function parseType(written: string): ColumnType {
  const [, name = '', size, unsigned] = /^(int|\w+)(?:eger)?(?:\((\d+)[^)]*\))?( unsigned)?/.exec(written.toLowerCase()) ?? []
  if (name === 'serial') return { holds: 'integer', bits: 64 }
  if (Object.hasOwn(bitsOf, name)) return { holds: 'integer', bits: (bitsOf[name] as number) + (unsigned ? 1 : 0) }
  if (/^(datetime|timestamp)$/.test(name))
    return { holds: 'date', fraction: Number(size ?? 0), ...(name === 'timestamp' && { endsIn2038: true }) }
  if (/^(var)?(char|binary)$/.test(name)) return { holds: 'text', length: Number(size ?? 1), isBinary: name.endsWith('binary') }
  if (name in lengths) return { holds: 'text', length: lengths[name] as number, isBinary: true }
  return { holds: unlimited.test(name) ? 'text' : (others[name] ?? 'other') }
}

const text = (value: unknown) => (value === null || value === undefined ? undefined : textOfBytes(value))
const must = (value: unknown) => textOfBytes(value)

async function inspect(db: Database, { schema, name }: TableName): Promise<LiveTable | undefined> {
  const isHere = (alias: string) =>
    sql`${sql.raw(alias)}.table_schema = ${schema ? sql`${schema}` : sql`database()`} and ${sql.raw(alias)}.table_name = ${name}`
  return (await describe(db, isHere))[0]
}

async function inspectAll(db: Database, schemas: string[]): Promise<LiveTable[]> {
  const { current } = await readOne(db, { current: sql`database()` }, one)
  const wanted = [must(current), ...schemas]
  const refers = sql`k.referenced_table_schema in ${wanted} and k.table_schema not in ${wanted}`
  const others = await read(db, { schema: sql`k.table_schema` }, sql`information_schema.key_column_usage k`, refers)
  const all = [...new Set([...wanted, ...others.map(({ schema }) => must(schema))])]
  return describe(
    db,
    (alias) => sql`${sql.raw(alias)}.table_schema in ${all}`,
    sql` and t.table_type not in ('VIEW', 'SYSTEM VIEW', 'SEQUENCE')`,
  )
}

async function describe(db: Database, isHere: (alias: string) => SQL, isTable = sql``): Promise<LiveTable[]> {
  const server = await readOne(db, { version: sql`version()`, current: sql`database()`, folds: variable('lower_case_table_names') }, one)
  const isMariaDb = /mariadb/i.test(must(server.version))
  // If the server ignores the case of table names, compare them in lower case.
  const nameOf = (name: unknown) => (Number(server.folds) === 0 ? must(name) : must(name).toLowerCase())
  // Tables of the current database have no schema here, so that the SQL also runs in a copy under another name.
  const schemaOf = (name: unknown) => (nameOf(name) === nameOf(server.current) ? '' : nameOf(name))
  const columns = await read(
    db,
    {
      schema: sql`c.table_schema`,
      table: sql`c.table_name`,
      name: sql`c.column_name`,
      type: sql`c.column_type`,
      nullable: sql`c.is_nullable`,
      default: sql`c.column_default`,
      extra: sql`c.extra`,
      comment: sql`c.column_comment`,
      characters: sql`c.character_set_name`,
      collation: sql`c.collation_name`,
      bytes: sql`c.character_octet_length`,
      kind: sql`t.table_type`,
      engine: sql`t.engine`,
      format: sql`t.row_format`,
      options: sql`t.create_options`,
    },
    sql`information_schema.columns c join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name`,
    sql`${isHere('c')}${isTable} order by c.table_schema, c.table_name, c.ordinal_position`,
  )
  const indexes = await read(
    db,
    {
      schema: sql`s.table_schema`,
      table: sql`s.table_name`,
      name: sql`s.index_name`,
      loose: sql`s.non_unique`,
      column: sql`s.column_name`,
      part: sql`s.sub_part`,
      type: sql`s.index_type`,
    },
    sql`information_schema.statistics s`,
    sql`${isHere('s')} order by s.table_schema, s.table_name, s.index_name, s.seq_in_index`,
  )
  const foreignKeys = await read(
    db,
    {
      name: sql`k.constraint_name`,
      schema: sql`k.table_schema`,
      table: sql`k.table_name`,
      column: sql`k.column_name`,
      targetSchema: sql`k.referenced_table_schema`,
      target: sql`k.referenced_table_name`,
      targetColumn: sql`k.referenced_column_name`,
      onDelete: sql`r.delete_rule`,
      onUpdate: sql`r.update_rule`,
    },
    sql`information_schema.key_column_usage k join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name and r.table_name = k.table_name`,
    sql`${isHere('k')} and k.referenced_table_name is not null order by k.table_schema, k.table_name, k.constraint_name, k.ordinal_position`,
  )
  const tableOf = ({ schema, table }: Record<'schema' | 'table', unknown>) => `${must(schema)}\0${must(table)}`
  return groupBy(columns, tableOf).map((group): LiveTable => {
    const [first] = group as [(typeof columns)[number]]
    const isHere = (row: Record<'schema' | 'table', unknown>) => tableOf(row) === tableOf(first)
    const path = { schema: schemaOf(first.schema), name: nameOf(first.table) }
    return {
      ...path,
      columns: group.map((column) => columnOf(column, isMariaDb)),
      keys: groupBy(indexes.filter(isHere), ({ name }) => must(name)).map((parts) => ({
        kind: must(parts[0]?.name) === 'PRIMARY' ? 'primary' : Number(parts[0]?.loose) === 0 ? 'unique' : 'index',
        name: must(parts[0]?.name),
        columns: parts.map(({ column }) => text(column) ?? ''),
        isConstraint: true,
        isPlain: parts.every(({ column, part, type }) => column !== null && part === null && must(type) === 'BTREE'),
      })),
      foreignKeys: groupBy(foreignKeys.filter(isHere), ({ name }) => must(name)).map((parts) => ({
        name: must(parts[0]?.name),
        table: path,
        columns: parts.map(({ column }) => must(column)),
        target: { schema: schemaOf(parts[0]?.targetSchema), name: nameOf(parts[0]?.target) },
        targetColumns: parts.map(({ targetColumn }) => must(targetColumn)),
        rules: ` ON DELETE ${must(parts[0]?.onDelete)} ON UPDATE ${must(parts[0]?.onUpdate)}`,
      })),
      peculiarity: peculiarityOf(first),
    }
  })
}

function peculiarityOf(row: Record<'kind' | 'engine' | 'format' | 'options', unknown>): string | undefined {
  const [kind, engine, format, options] = [row.kind, row.engine, row.format, row.options].map((value) => text(value) ?? '')
  if (kind !== 'BASE TABLE') return kind === 'VIEW' ? 'it is a view' : `it is ${kind?.toLowerCase()}`
  if (engine !== 'InnoDB') return `its engine is ${engine}, not InnoDB`
  if (/partitioned/i.test(options ?? '')) return 'it is partitioned'
  return /^dynamic$/i.test(format ?? '') ? undefined : `its row format is ${format}, which only allows shorter keys than ROW_FORMAT=DYNAMIC`
}

function columnOf(row: Record<string, unknown>, isMariaDb: boolean): LiveColumn {
  const [type, extra, collation, characters] = [must(row.type), text(row.extra) ?? '', text(row.collation), text(row.characters)]
  const comment = text(row.comment)
  const known = /auto_increment|default_generated|(on update current_timestamp\S*)|invisible/gi
  return {
    ...parseType(type),
    name: must(row.name),
    type,
    notNull: must(row.nullable) === 'NO',
    default: (isMariaDb ? mariaDbDefault : mysqlDefault)(text(row.default), extra),
    isFilled: /auto_increment|generated( always)?$/i.test(extra) && !/default_generated$/i.test(extra),
    characterSet: characters,
    bytes: row.bytes === null ? 8 : Number(row.bytes),
    collation,
    looseCollation: collation === undefined || /_bin$/.test(collation) ? undefined : collation,
    narrowCharacterSet: characters === undefined || hasAllOfUnicode(characters) ? undefined : characters,
    rest: [
      ...[...extra.matchAll(known)].flatMap(([word]) => (/default_generated/i.test(word) ? [] : word)),
      ...(comment ? [`COMMENT ${literal(comment)}`] : []),
    ]
      .map((word) => ` ${word}`)
      .join(''),
    // MariaDB reports the compression of a column as a comment in its type.
    unknown: [extra.replace(known, '').replace(/,/g, '').trim(), /\/\*.*\*\//.exec(type)?.[0]].filter(Boolean).join(' ') || undefined,
  }
}

const hasAllOfUnicode = (characterSet: string) => /^(utf8mb4|utf16|utf16le|utf32)$/.test(characterSet)

const literal = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

// MariaDB reports a default as SQL. MySQL reports it as a value, unless it is an expression.
const mariaDbDefault = (value: string | undefined) => (value === 'NULL' ? undefined : value)
function mysqlDefault(value: string | undefined, extra: string): string | undefined {
  if (value === undefined) return undefined
  if (!/default_generated/i.test(extra)) return literal(value)
  return /^current_timestamp/i.test(value) ? value : `(${value})`
}

/** A system variable. */
const variable = (name: string) => sql.raw(`@@${name}`)

async function rowChangers(db: Database, { schema, name }: LiveTable): Promise<string[]> {
  const database = schema ? sql`${schema}` : sql`database()`
  const isOfTable = sql`t.event_object_schema = ${database} and t.event_object_table = ${name}`
  const triggers = await read(db, { name: sql`t.trigger_name` }, sql`information_schema.triggers t`, isOfTable)
  const isTable = sql`v.table_schema = ${database} and v.table_name = ${name}`
  const views = await read(db, { name: sql`v.table_name` }, sql`information_schema.views v`, isTable)
  return [...triggers.map((each) => `the trigger ${must(each.name)}`), ...views.map(() => 'a view, which this table is')]
}

const serverChecks: ServerCheck[] = [
  {
    about: 'the settings that the adapter requires',
    run: async (db) => (await problemsOf(db)).map(({ setting, message, fix }) => finding(setting, message, { severity: 'error', fix })),
  },
  {
    about: 'foreign_key_checks',
    async run(db) {
      const { checks } = await readOne(db, { checks: variable('foreign_key_checks') }, one)
      if (Number(checks) === 1 || String(checks) === 'ON') return []
      return [
        finding('not-enforced', 'foreign keys are not enforced: foreign_key_checks is off', { fix: 'SET GLOBAL foreign_key_checks = ON;' }),
      ]
    },
  },
  { about: 'the cluster', run: syncWait },
  { about: 'the character sets of the columns', run: narrowColumns },
]

async function syncWait(db: Database): Promise<Finding[]> {
  const { version } = await readOne(db, { version: sql`version()` }, one)
  // MySQL and MariaDB have their variables in different tables.
  const schema = /mariadb/i.test(must(version)) ? 'information_schema' : 'performance_schema'
  const isMeant = sql`lower(v.variable_name) in ('wsrep_on', 'wsrep_sync_wait', 'wsrep_cluster_address')`
  const columns = { name: sql`lower(v.variable_name)`, value: sql`v.variable_value` }
  const rows = await read(db, columns, sql.raw(`${schema}.session_variables v`), isMeant)
  const values = new Map(rows.map(({ name, value }) => [must(name), must(value ?? '')]))
  // Bits for reads (1), updates and deletes (2), and inserts (4).
  const waits = Number(values.get('wsrep_sync_wait'))
  if (values.get('wsrep_on') !== 'ON' || !values.get('wsrep_cluster_address') || (waits & 7) === 7) return []
  return [
    finding('sync-wait', `wsrep_sync_wait is ${waits}: another node of the cluster may not see a session or a user that was just created`, {
      fix: 'SET GLOBAL wsrep_sync_wait = 7;',
    }),
  ]
}

/** One finding for all columns, because their character set is usually that of the database. */
async function narrowColumns(db: Database, tables: LiveTable[]): Promise<Finding[]> {
  const narrow = tables.flatMap((table) => table.columns.flatMap((column) => (column.narrowCharacterSet ? [{ table, column }] : [])))
  if (narrow.length === 0) return []
  const sets = [...new Set(narrow.map(({ column }) => column.narrowCharacterSet))].join(' and ')
  const names = narrow.map(({ table, column }) => `${table.name}.${column.name}`).join(', ')
  const { name, characters } = await readOne(db, { name: sql`database()`, characters: variable('character_set_database') }, one)
  const database = hasAllOfUnicode(must(characters)) ? '' : `ALTER DATABASE ${quote(must(name))} CHARACTER SET utf8mb4; `
  const fix = database + tables.flatMap(unicodeColumns).join(' ')
  const message = `the character set ${sets} cannot store all of Unicode: the database refuses such names and addresses (${names})`
  return [finding('character-set', message, { fix })]
}

/** SQL that changes the character set of columns and nothing else: CONVERT TO would make a `text` a `mediumtext`. */
function unicodeColumns(table: LiveTable): string[] {
  const actions = table.columns
    .filter(({ narrowCharacterSet, unknown }) => narrowCharacterSet && !unknown)
    .map(({ name, type, collation, notNull, default: value, rest = '' }) => {
      const exactly = collation?.endsWith('_bin') ? ' COLLATE utf8mb4_bin' : ''
      // For text, MySQL only accepts an expression as the default.
      const given = value === undefined ? '' : ` DEFAULT ${/text/i.test(type) && !value.startsWith('(') ? `(${value})` : value}`
      return `MODIFY ${quote(name)} ${type} CHARACTER SET utf8mb4${exactly} ${notNull ? 'NOT NULL' : 'NULL'}${given}${rest}`
    })
  const path = [table.schema, table.name].flatMap((each) => (each ? quote(each) : [])).join('.')
  return actions.length === 0 ? [] : [`ALTER TABLE ${path} DEFAULT CHARACTER SET utf8mb4, ${actions.join(', ')};`]
}

const characters = (value: SQL) => sql`convert(${value} using utf8mb4)`
const exact = (value: SQL) => sql`cast(${characters(value)} as binary)`

export const mysql: Inspector = {
  declaration: (table) => getTableConfig(table as never) as unknown as Declaration,
  inspect,
  inspectAll,
  parseType,
  rowChangers,
  serverChecks,
  quote,
  exact,
  lowerCase: (text) => `LOWER(CONVERT(${text} USING utf8mb4))`,
  hasCapitals: (value) => sql`${exact(sql`lower(${characters(value)})`)} <> ${exact(value)}`,
  isHex: (value) => sql`${characters(value)} collate utf8mb4_bin regexp '^[0-9a-f]+$'`,
  cannotIndex: ({ type }) => /text|blob|json/i.test(type),
  changeType: (table, column, type, isRequired) => `ALTER TABLE ${table} MODIFY ${column} ${type}${isRequired ? ' NOT NULL' : ''};`,
}
