import type { Database } from 'drizzle-auth-adapter/internal'
import { problemsOf, sql, textOfBytes } from 'drizzle-auth-adapter/internal'
import type { SQL } from 'drizzle-orm'
import { getTableConfig } from 'drizzle-orm/mysql-core'
import type { Finding } from './finding.js'
import { finding } from './finding.js'
import type { ColumnType, Declaration, Inspector, LiveColumn, LiveTable, ServerCheck, TableName, TablePath } from './inspector.js'
import { groupBy, localTimes, read, readOne, samePath } from './inspector.js'

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
    isLocalTime: type.startsWith('datetime') && /^current_timestamp|on update current_timestamp/im.test(`${text(row.default)}\n${extra}`),
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
  const [triggers, views] = [
    await read(
      db,
      { name: sql`t.trigger_name` },
      sql`information_schema.triggers t`,
      sql`t.event_object_schema = ${database} and t.event_object_table = ${name} order by t.trigger_name`,
    ),
    await read(
      db,
      { name: sql`v.table_name` },
      sql`information_schema.views v`,
      sql`v.table_schema = ${database} and v.table_name = ${name}`,
    ),
  ]
  return [...triggers.map((trigger) => `the trigger ${must(trigger.name)}`), ...views.map(() => 'it, because it is a view')]
}

const serverChecks: ServerCheck[] = [
  { about: 'whether the server accepts writes', run: readOnly },
  {
    about: 'the settings that the adapter requires',
    run: async (db) => (await problemsOf(db)).map(({ setting, message, fix }) => finding(setting, message, { severity: 'error', fix })),
  },
  {
    about: 'the time zone',
    async run(db, tables) {
      const { offset } = await readOne(db, { offset: sql`timestampdiff(minute, utc_timestamp(), now())` }, one)
      return Math.abs(Number(offset)) < 5 ? [] : localTimes(tables, `SET GLOBAL time_zone = '+00:00';`)
    },
  },
  {
    about: 'foreign_key_checks',
    async run(db) {
      const { checks } = await readOne(db, { checks: variable('foreign_key_checks') }, one)
      if (isOn(checks)) return []
      return [
        finding('not-enforced', 'foreign keys are not enforced: foreign_key_checks is off', { fix: 'SET GLOBAL foreign_key_checks = ON;' }),
      ]
    },
  },
  { about: 'the cluster', run: syncWait },
  { about: 'the privileges of the user', run: excessRights },
]

const isOn = (value: unknown) => Number(value) === 1 || String(value) === 'ON'

/** Those of these session variables that the server has. MySQL and MariaDB have different ones, in different tables. */
async function variablesOf(db: Database, ...names: string[]): Promise<Map<string, string>> {
  const { version } = await readOne(db, { version: sql`version()` }, one)
  const schema = /mariadb/i.test(textOfBytes(version)) ? 'information_schema' : 'performance_schema'
  const rows = await read(
    db,
    { name: sql`lower(v.variable_name)`, value: sql`v.variable_value` },
    sql.raw(`${schema}.session_variables v`),
    sql`lower(v.variable_name) in ${names}`,
  )
  return new Map(rows.map(({ name, value }) => [textOfBytes(name), textOfBytes(value ?? '')]))
}

async function readOnly(db: Database): Promise<Finding[]> {
  const values = await variablesOf(db, 'read_only', 'super_read_only', 'innodb_read_only', 'tx_read_only', 'transaction_read_only')
  const on = [...values].filter(([, value]) => isOn(value)).map(([name]) => name)
  if (on.length === 0) return []
  return [
    finding('read-only', `the server accepts no writes on this connection: ${on.join(', ')} is on`, { fix: 'Connect to the primary.' }),
  ]
}

async function syncWait(db: Database): Promise<Finding[]> {
  const values = await variablesOf(db, 'wsrep_on', 'wsrep_sync_wait', 'wsrep_cluster_address')
  // Bits for reads (1), updates and deletes (2), and inserts (4).
  const waits = Number(values.get('wsrep_sync_wait'))
  if (!isOn(values.get('wsrep_on')) || !values.get('wsrep_cluster_address') || (waits & 7) === 7) return []
  return [
    finding('sync-wait', `wsrep_sync_wait is ${waits}: another node of the cluster may not see a session or a user that was just created`, {
      fix: 'SET GLOBAL wsrep_sync_wait = 7;',
    }),
  ]
}

async function excessRights(db: Database, tables: ReadonlyMap<TableName, LiveTable>): Promise<Finding[]> {
  const grantee = sql`v.grantee = concat('''', replace(current_user(), '@', '''@'''), '''')`
  const beyond = sql`v.privilege_type not in ('USAGE', 'SELECT', 'INSERT', 'UPDATE', 'DELETE')`
  const names = [...tables.keys()].map(({ name }) => name)
  const count = async (view: string, where: SQL) =>
    Number(
      (await read(db, { rights: sql`count(*)` }, sql.raw(`information_schema.${view} v`), sql`${grantee} and ${beyond} and ${where}`))[0]
        ?.rights,
    )
  const fix = 'Connect as a user that has only the SELECT, INSERT, UPDATE and DELETE privileges.'
  const rights: [string, number][] = [
    ['on the whole server', await count('user_privileges', sql`1 = 1`)],
    ['on the database', await count('schema_privileges', sql`(v.table_schema = database() or database() like v.table_schema)`)],
    ['on the tables', names.length > 0 ? await count('table_privileges', sql`v.table_name in ${names}`) : 0],
  ]
  return rights
    .filter(([, number]) => number > 0)
    .slice(0, 1)
    .map(([where, number]) => finding('excess-rights', `the user has more privileges than needed: ${number} ${where}`, { fix }))
}

const pathOf = ({ schema, name }: TablePath) => (schema ? `${quote(schema)}.${quote(name)}` : quote(name))

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
  return actions.length === 0 ? [] : [`ALTER TABLE ${pathOf(table)} DEFAULT CHARACTER SET utf8mb4, ${actions.join(', ')};`]
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
  characters,
  exact,
  between: sql`, `,
  lowerCase: (text) => `LOWER(CONVERT(${text} USING utf8mb4))`,
  hasCapitals: (value) => sql`${exact(sql`lower(${characters(value)})`)} <> ${exact(value)}`,
  isDecimalId: (value) => sql`${characters(value)} regexp '^[0-9]+[.]0$'`,
  isHex: (value) => sql`${characters(value)} collate utf8mb4_bin regexp '^[0-9a-f]+$'`,
  isCode: (value) => sql`${characters(value)} regexp '^[0-9]{4,10}:[0-9]+$'`,
  isPasswordHash: (value) => sql`${characters(value)} collate utf8mb4_bin regexp '^[^:]+:[0-9a-f]{128}(:|$)'`,
  cannotIndex: ({ type }) => /text|blob|json/i.test(type),
  changeType: (table, column, type, isRequired) => `ALTER TABLE ${table} MODIFY ${column} ${type}${isRequired ? ' NOT NULL' : ''};`,
  async convertToUnicode(db, tables) {
    const { name, characters } = await readOne(db, { name: sql`database()`, characters: variable('character_set_database') }, one)
    const own = hasAllOfUnicode(must(characters)) ? [] : [`ALTER DATABASE ${quote(must(name))} CHARACTER SET utf8mb4;`]
    const isGiven = (path: TablePath) => tables.some((table) => samePath(table, path))
    const all = (await inspectAll(db, [])).filter((table) => isGiven(table) || table.foreignKeys.some(({ target }) => isGiven(target)))
    // A foreign key prevents changes of its columns.
    const isNarrow = (table: TablePath, names: string[]) =>
      all.some((one) => samePath(one, table) && one.columns.some((column) => column.narrowCharacterSet && names.includes(column.name)))
    const keys = all.flatMap(({ foreignKeys }) => foreignKeys).filter((key) => isNarrow(key.table, key.columns))
    const drop = keys.map(({ table, name }) => `ALTER TABLE ${pathOf(table)} DROP FOREIGN KEY ${quote(name)};`)
    const list = (names: string[]) => names.map(quote).join(', ')
    const add = keys.map(
      ({ table, name, columns, target, targetColumns, rules }) =>
        `ALTER TABLE ${pathOf(table)} ADD CONSTRAINT ${quote(name)} FOREIGN KEY (${list(columns)}) REFERENCES ${pathOf(target)} (${list(targetColumns)})${rules};`,
    )
    return [...own, ...drop, ...all.flatMap(unicodeColumns), ...add].join(' ')
  },
  addForeignKey: (name, table, columns, target, targetColumns, onDelete) =>
    `ALTER TABLE ${table} ADD CONSTRAINT ${name} FOREIGN KEY (${columns}) REFERENCES ${target} (${targetColumns}) ON DELETE ${onDelete};`,
}
