import { sql } from 'drizzle-orm'
import type { Database } from '../core.js'
import { decodeText, groupBy, inspectors, read } from '../core.js'
import type { Syntax, TypeChange } from './alter.js'
import { alterSteps } from './alter.js'
import type { Key, Mover, NewColumn, Notice, OldColumn, OldDatabase, OldForeignKey, OldTable, TablePath } from './model.js'
import { tooLong } from './rows.js'

const { quote, parseType } = inspectors.mysql

/** Tables of the database that the command is connected to need no schema in front. */
const path = ({ schema, name }: TablePath) => (schema ? `${quote(schema)}.${quote(name)}` : quote(name))
const text = (value: unknown) => (value === null || value === undefined ? undefined : decodeText(value))
const must = (value: unknown) => decodeText(value)

async function readDatabase(db: Database, schemas: string[]): Promise<OldDatabase> {
  const [server] = await read(db, { version: sql`version()`, schema: sql`database()` }, sql`(select 1) as one`)
  const isMariaDb = /mariadb/i.test(must(server?.version))
  const current = must(server?.schema)
  // The current database has no name here, so that the plan runs in a copy of it, too.
  const schemaOf = (name: unknown) => (must(name) === current ? '' : must(name))
  const wanted = [current, ...schemas.filter(Boolean)]
  const foreignKeys = await readForeignKeys(db, wanted, schemaOf)
  const all = [...new Set([...wanted, ...foreignKeys.map(({ table }) => table.schema || current)])]
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
      format: sql`t.row_format`,
    },
    sql`information_schema.columns c join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name`,
    sql`c.table_schema in ${all} and t.table_type = 'BASE TABLE' order by c.table_schema, c.table_name, c.ordinal_position`,
  )
  const keys = await read(
    db,
    {
      schema: sql`s.table_schema`,
      table: sql`s.table_name`,
      name: sql`s.index_name`,
      loose: sql`s.non_unique`,
      column: sql`s.column_name`,
      part: sql`s.sub_part`,
    },
    sql`information_schema.statistics s`,
    sql`s.table_schema in ${all} order by s.table_schema, s.table_name, s.index_name, s.seq_in_index`,
  )
  const keysOf = groupBy(keys, ({ schema, table }) => [schema, table].map(must).join('\0'))
  return {
    schemaOf: (declared) => (declared === current ? '' : declared),
    foreignKeys,
    tables: groupBy(columns, ({ schema, table }) => [schema, table].map(must).join('\0')).map((group): OldTable => {
      const [first] = group
      const own = keysOf.find(([key]) => must(key?.schema) === must(first?.schema) && must(key?.table) === must(first?.table)) ?? []
      return {
        schema: schemaOf(first?.schema),
        name: must(first?.table),
        columns: group.map((column) => columnOf(column, isMariaDb)),
        keys: groupBy(own, ({ name }) => must(name)).map((parts) => ({
          kind: must(parts[0]?.name) === 'PRIMARY' ? 'primary' : Number(parts[0]?.loose) === 0 ? 'unique' : 'index',
          name: must(parts[0]?.name),
          // A key of the first bytes alone is not a key of the column.
          columns: parts.map(({ column, part }) => (column === null ? '' : must(column)) + (part === null ? '' : `(${part})`)),
          isConstraint: true,
        })),
        storage: /^(dynamic|compressed)$/i.test(text(first?.format) ?? 'dynamic') ? undefined : 'ROW_FORMAT=DYNAMIC',
      }
    }),
  }
}

async function readForeignKeys(db: Database, schemas: string[], schemaOf: (name: unknown) => string): Promise<OldForeignKey[]> {
  const rows = await read(
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
    sql`k.referenced_table_name is not null and (k.table_schema in ${schemas} or k.referenced_table_schema in ${schemas})
      order by k.table_schema, k.table_name, k.constraint_name, k.ordinal_position`,
  )
  return groupBy(rows, ({ schema, table, name }) => [schema, table, name].map(must).join('\0')).map((group) => {
    const [first] = group
    return {
      name: must(first?.name),
      table: { schema: schemaOf(first?.schema), name: must(first?.table) },
      columns: group.map(({ column }) => must(column)),
      target: { schema: schemaOf(first?.targetSchema), name: must(first?.target) },
      targetColumns: group.map(({ targetColumn }) => must(targetColumn)),
      rules: ` ON DELETE ${must(first?.onDelete)} ON UPDATE ${must(first?.onUpdate)}`,
    }
  })
}

function columnOf(row: Record<string, unknown>, isMariaDb: boolean): OldColumn {
  const [type, extra, collation, characters] = [must(row.type), text(row.extra) ?? '', text(row.collation), text(row.characters)]
  const comment = text(row.comment)
  return {
    ...parseType(type),
    name: must(row.name),
    type,
    notNull: must(row.nullable) === 'NO',
    default: (isMariaDb ? mariaDbDefault : mysqlDefault)(text(row.default), extra),
    isFilled: /auto_increment|generated( always)?$/i.test(extra) && !/default_generated$/i.test(extra),
    characterSet: characters,
    collation,
    looseCollation: collation === undefined || /_bin$/.test(collation) ? undefined : collation,
    rest: [
      /auto_increment/i.test(extra) ? ' AUTO_INCREMENT' : '',
      / ?(on update \S+)/i.exec(extra)?.[0].replace(/^ ?/, ' ') ?? '',
      comment ? ` COMMENT ${literal(comment)}` : '',
    ].join(''),
  }
}

const literal = (value: string) => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`

// MariaDB keeps a default as SQL, MySQL as a value unless it is an expression.
const mariaDbDefault = (value: string | undefined) => (value === 'NULL' ? undefined : value)
function mysqlDefault(value: string | undefined, extra: string): string | undefined {
  if (value === undefined) return undefined
  if (!/default_generated/i.test(extra)) return literal(value)
  return /^current_timestamp/i.test(value) ? value : `(${value})`
}

/** A type without what does not change it: the display width of an integer, the other names of a boolean. */
const plainType = (type: string) =>
  type
    .toLowerCase()
    .replace(/^bool(ean)?$/, 'tinyint')
    .replace(/^serial$/, 'bigint unsigned')
    .replace(/^((?:tiny|small|medium|big)?int)(?:eger)?\(\d+\)/, '$1')

function isSameType(old: OldColumn, { type }: NewColumn): boolean {
  const [, plain = type, characters] = /^(.*?) character set (\w+)$/i.exec(type) ?? []
  return plainType(old.type) === plainType(plain) && (characters === undefined || characters === old.characterSet)
}

const isBinary = (type: string) => /^(var)?binary|blob$/i.test(type)

/** All that MODIFY has to say of a column. What it leaves out is lost. */
function definition({ name, default: value, rest = '' }: OldColumn, type: string, notNull: boolean): string {
  return `MODIFY ${quote(name)} ${type} ${notNull ? 'NOT NULL' : 'NULL'}${value === undefined ? '' : ` DEFAULT ${value}`}${rest}`
}

const columnList = ({ columns }: Key) => `(${columns.map(quote).join(', ')})`

const syntax: Syntax = {
  quote,
  path,
  isSameType,
  renameTable: (from, to) => `RENAME TABLE ${path(from)} TO ${path(to)};`,
  // Bytes of another character set would no longer be found. utf8mb4_bin keeps apart whatever was apart.
  prepareType(table, changes) {
    const converted = changes.filter(({ old, type }) => isBinary(type) && old.characterSet !== undefined && old.characterSet !== 'utf8mb4')
    if (converted.length === 0) return []
    const actions = converted.map(({ old }) => definition(old, `${old.type} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`, old.notNull))
    return [`ALTER TABLE ${path(table)}\n  ${actions.join(',\n  ')};`]
  },
  changeType({ old, type, holds, notNull, default: declared, isOwn }: TypeChange) {
    // Older servers give a timestamp a default of their own, which another type cannot have.
    const isDate = holds.holds === 'date' && !isOwn
    const kept = isDate ? { ...old, default: undefined, rest: '' } : old
    return [definition({ ...kept, default: declared ?? kept.default }, type, notNull)]
  },
  changeNull: (old, notNull) =>
    definition(old, old.collation ? `${old.type} CHARACTER SET ${old.characterSet} COLLATE ${old.collation}` : old.type, notNull),
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

export const mysql: Mover = {
  read: readDatabase,
  quote,
  foldsCase: false,
  noAddress: (id) => `CONCAT(${id}, '@no-email.invalid')`,
  rowChecks: [tooLong],
  steps(moves, missing, database, rows) {
    const { steps, notices, changes } = alterSteps(syntax, moves, missing, database, rows)
    const hasTimestamps = [...changes.values()].flat().some(({ old, type }) => /^timestamp/i.test(old.type) && !/^timestamp/i.test(type))
    return { steps, notices: [...notices, ...(hasTimestamps ? [timeZone] : [])] }
  },
  // With a hash the line is a comment for MySQL's own client.
  breakpoint: '#--> statement-breakpoint',
  howToRun: 'MySQL cannot roll back a change of a table: try it on a copy first. Run it with: mysql DATABASE < FILE',
}

const timeZone: Notice = {
  code: 'time-zone',
  severity: 'warning',
  message: 'a timestamp is converted in the time zone of the session that runs the plan, which must be the one of your app',
  fix: "If your app sets time_zone on its connections, put the same in front of the plan: SET time_zone = '…';",
}
