import type { SQL } from 'drizzle-orm'
import { decodeText } from '../mysql/text.js'
import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { Finding } from './finding.js'
import { finding } from './finding.js'
import type { ColumnType, Inspector, LiveTable, Question, TableName } from './inspector.js'
import { groupBy, localTimes, read, readOne } from './inspector.js'

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

const schemaOf = ({ schema }: TableName) => (schema ? sql`${schema}` : sql`database()`)

async function inspect(db: Database, table: TableName): Promise<LiveTable | undefined> {
  const isHere = (alias: string) =>
    sql`${sql.raw(alias)}.table_schema = ${schemaOf(table)} and ${sql.raw(alias)}.table_name = ${table.name}`
  const columns = await read(
    db,
    {
      name: sql`c.column_name`,
      type: sql`c.column_type`,
      required: sql`case when c.is_nullable = 'NO' and c.column_default is null and c.extra not like '%auto_increment%' and c.extra not like '%generated%' then 1 else 0 end`,
      clock: sql`case when lower(c.column_default) like 'current_timestamp%' or lower(c.extra) like '%on update current_timestamp%' then 1 else 0 end`,
      collation: sql`c.collation_name`,
      characters: sql`c.character_set_name`,
    },
    sql`information_schema.columns c`,
    isHere('c'),
  )
  if (columns.length === 0) return undefined
  const indexes = await read(
    db,
    { index: sql`s.index_name`, isLoose: sql`s.non_unique`, column: sql`s.column_name` },
    sql`information_schema.statistics s`,
    sql`${isHere('s')} order by s.index_name, s.seq_in_index`,
  )
  const foreignKeys = await read(
    db,
    {
      name: sql`k.constraint_name`,
      column: sql`k.column_name`,
      schema: sql`k.referenced_table_schema`,
      table: sql`k.referenced_table_name`,
      rule: sql`r.delete_rule`,
    },
    sql`information_schema.key_column_usage k join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name and r.table_name = k.table_name`,
    sql`${isHere('k')} and k.referenced_table_name is not null order by k.constraint_name, k.ordinal_position`,
  )
  const { schema } = await readOne(db, { schema: sql`${schemaOf(table)}` }, one)
  const groups = groupBy(indexes, ({ index }) => decodeText(index))
  const columnsOf = (group: typeof indexes) => group.map(({ column }) => (column === null ? '' : decodeText(column)))
  return {
    id: `${decodeText(schema)}.${table.name}`,
    columns: columns.map(({ name, type, required, clock, collation, characters }) => ({
      ...parseType(decodeText(type)),
      name: decodeText(name),
      type: decodeText(type),
      isRequired: Number(required) === 1,
      isLocalTime: Number(clock) === 1 && decodeText(type).startsWith('datetime'),
      looseCollation: collation === null || /_bin$/.test(decodeText(collation)) ? undefined : decodeText(collation),
      narrowCharacterSet:
        characters === null || /^(utf8mb4|utf16|utf16le|utf32)$/.test(decodeText(characters)) ? undefined : decodeText(characters),
    })),
    unique: groups.filter(([first]) => Number(first?.isLoose) === 0).map(columnsOf),
    indexes: groups.map(columnsOf),
    foreignKeys: groupBy(foreignKeys, ({ name }) => decodeText(name)).map((group) => ({
      columns: group.map(({ column }) => decodeText(column)),
      references: `${decodeText(group[0]?.schema)}.${decodeText(group[0]?.table)}`,
      cascades: decodeText(group[0]?.rule) === 'CASCADE',
    })),
  }
}

/** A variable, where the server has it: MySQL and MariaDB differ. */
const variable = (name: string) => sql.raw(`@@${name}`)

const questions: Question[] = [
  { about: 'whether the server takes writes', ask: readOnly },
  {
    about: 'sql_mode',
    async ask(db) {
      const { mode } = await readOne(db, { mode: variable('session.sql_mode') }, one)
      if (/STRICT_(TRANS|ALL)_TABLES/.test(decodeText(mode))) return []
      return [
        finding('sql-mode', 'sql_mode is not strict: what does not fit a column is cut without an error', {
          fix: `SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES');`,
        }),
      ]
    },
  },
  {
    about: 'the time zone',
    async ask(db, tables) {
      const { offset } = await readOne(db, { offset: sql`timestampdiff(minute, utc_timestamp(), now())` }, one)
      return Math.abs(Number(offset)) < 5 ? [] : localTimes(tables, `SET GLOBAL time_zone = '+00:00';`)
    },
  },
  {
    about: 'the character set of the connection',
    async ask(db) {
      const { client, results } = await readOne(
        db,
        { client: variable('character_set_client'), results: variable('character_set_results') },
        one,
      )
      if ([client, results].every((name) => name !== null && decodeText(name) === 'utf8mb4')) return []
      return [
        finding('character-set', 'the connection is not in utf8mb4: names and addresses may arrive with question marks in them', {
          fix: 'Open the connection with charset: utf8mb4.',
        }),
      ]
    },
  },
  {
    about: 'foreign_key_checks',
    async ask(db) {
      const { checks } = await readOne(db, { checks: variable('foreign_key_checks') }, one)
      if (isOn(checks)) return []
      return [
        finding('not-enforced', 'foreign keys are not enforced: foreign_key_checks is off', { fix: 'SET GLOBAL foreign_key_checks = ON;' }),
      ]
    },
  },
  { about: 'the cluster', ask: syncWait },
  { about: 'the rights of the user', ask: excessRights },
]

const isOn = (value: unknown) => Number(value) === 1 || String(value) === 'ON'

/** Variables of the session, where the server has them: MySQL and MariaDB have different ones, and keep them in different tables. */
async function variablesOf(db: Database, ...names: string[]): Promise<Map<string, string>> {
  const { version } = await readOne(db, { version: sql`version()` }, one)
  const schema = /mariadb/i.test(decodeText(version)) ? 'information_schema' : 'performance_schema'
  const rows = await read(
    db,
    { name: sql`lower(v.variable_name)`, value: sql`v.variable_value` },
    sql.raw(`${schema}.session_variables v`),
    sql`lower(v.variable_name) in ${names}`,
  )
  return new Map(rows.map(({ name, value }) => [decodeText(name), decodeText(value ?? '')]))
}

async function readOnly(db: Database): Promise<Finding[]> {
  const values = await variablesOf(db, 'read_only', 'super_read_only', 'innodb_read_only', 'tx_read_only', 'transaction_read_only')
  const on = [...values].filter(([, value]) => isOn(value)).map(([name]) => name)
  if (on.length === 0) return []
  return [finding('read-only', `the server takes no writes on this connection: ${on.join(', ')} is on`, { fix: 'Connect to the primary.' })]
}

async function syncWait(db: Database): Promise<Finding[]> {
  const values = await variablesOf(db, 'wsrep_on', 'wsrep_sync_wait', 'wsrep_cluster_address')
  if (!isOn(values.get('wsrep_on')) || !values.get('wsrep_cluster_address') || Number(values.get('wsrep_sync_wait')) & 1) return []
  return [
    finding('sync-wait', 'wsrep_sync_wait is off: a read on another node of the cluster may miss a session that was just made', {
      fix: 'SET GLOBAL wsrep_sync_wait = 1;',
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
  const fix = 'Let the app use a user with the rights to SELECT, INSERT, UPDATE and DELETE alone.'
  const rights: [string, number][] = [
    ['on the whole server', await count('user_privileges', sql`1 = 1`)],
    ['on the database', await count('schema_privileges', sql`(v.table_schema = database() or database() like v.table_schema)`)],
    ['on the tables', names.length > 0 ? await count('table_privileges', sql`v.table_name in ${names}`) : 0],
  ]
  return rights
    .filter(([, number]) => number > 0)
    .slice(0, 1)
    .map(([where, number]) => finding('excess-rights', `the user has more rights than needed: ${number} ${where}`, { fix }))
}

const characters = (value: SQL) => sql`convert(${value} using utf8mb4)`
const exact = (value: SQL) => sql`cast(${characters(value)} as binary)`

export const mysql: Inspector = {
  inspect,
  parseType,
  questions,
  quote,
  exact,
  between: sql`, `,
  lowerCase: (text) => `LOWER(CONVERT(${text} USING utf8mb4))`,
  hasCapitals: (value) => sql`${exact(sql`lower(${characters(value)})`)} <> ${exact(value)}`,
  isDecimalId: (value) => sql`${characters(value)} regexp '^[0-9]+[.]0$'`,
  changeType: (table, column, type, isRequired) => `ALTER TABLE ${table} MODIFY ${column} ${type}${isRequired ? ' NOT NULL' : ''};`,
  addForeignKey: (table, column, users, id) =>
    `ALTER TABLE ${table} ADD FOREIGN KEY (${column}) REFERENCES ${users} (${id}) ON DELETE CASCADE;`,
}
