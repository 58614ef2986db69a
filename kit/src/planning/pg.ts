import { inspectors } from '../doctor/index.js'
import type { ColumnType, LiveColumn, LiveKey, TablePath } from '../doctor/inspector.js'
import type { Action, Change, Dialect, NewColumn } from './model.js'
import { breakpoint, literal, liveColumn } from './model.js'
import { standard } from './render.js'

const { quote } = inspectors.pg
const path = ({ schema, name }: TablePath) => `${quote(schema)}.${quote(name)}`
const { list, alter, addForeignKey, update, render } = standard(quote, path, literal)

/** Drizzle writes and reads dates without a time zone as UTC. */
const inUtc = (value: string, { holds }: Pick<ColumnType, 'holds'>) => (holds === 'date' ? `(${value} AT TIME ZONE 'UTC')` : value)
const isDate = ({ holds }: Pick<ColumnType, 'holds'>) => holds === 'date' || holds === 'zoned date'
const date = (value: string, from: Pick<ColumnType, 'holds'>, to: Pick<ColumnType, 'holds'>) =>
  from.holds === to.holds ? value : `(${value} AT TIME ZONE 'UTC')`

const constraint = ({ name, kind, columns }: LiveKey) =>
  `${name ? `CONSTRAINT ${quote(name)} ` : ''}${kind === 'primary' ? 'PRIMARY KEY' : 'UNIQUE'} (${list(columns)})`
function definition(column: NewColumn | LiveColumn): string {
  const { name, type, notNull, default: value, ...rest } = ('live' in column && column.live) || column
  const collation = 'collation' in rest && rest.collation
  return `${quote(name)} ${type}${collation ? ` COLLATE ${collation}` : ''}${value === undefined ? '' : ` DEFAULT ${value}`}${notNull ? ' NOT NULL' : ''}`
}
const createIndex = (table: TablePath, { name, kind, columns }: LiveKey) =>
  `CREATE ${kind === 'unique' ? 'UNIQUE ' : ''}INDEX ${quote(name)} ON ${path(table)} (${list(columns)});`

/** The clauses of ALTER TABLE. Indexes that are no constraints have statements of their own. */
function clausesOf(action: Action): string[] {
  switch (action.do) {
    case 'add':
      return [`ADD COLUMN ${definition(action.column)}`]
    case 'drop':
      return [`DROP COLUMN ${quote(action.column.name)}`]
    case 'addKey':
      return action.key.isConstraint ? [`ADD ${constraint(action.key)}`] : []
    case 'dropKey':
      return action.key.isConstraint ? [`DROP CONSTRAINT ${quote(action.key.name)}`] : []
    case 'retype': {
      const { from, to } = action
      const name = quote(to.name)
      const isTyped = from.type !== to.type || from.collation !== to.collation
      const value = isDate(from) && isDate(to) ? date(name, from, to) : `${name}::${to.type}`
      return [
        ...(from.default !== undefined && (isTyped || to.default === undefined) ? [`ALTER COLUMN ${name} DROP DEFAULT`] : []),
        ...(isTyped ? [`ALTER COLUMN ${name} TYPE ${to.type}${to.collation ? ` COLLATE ${to.collation}` : ''} USING ${value}`] : []),
        ...(to.default !== undefined && (isTyped || to.default !== from.default) ? [`ALTER COLUMN ${name} SET DEFAULT ${to.default}`] : []),
        ...(from.notNull === to.notNull ? [] : [`ALTER COLUMN ${name} ${to.notNull ? 'SET' : 'DROP'} NOT NULL`]),
      ]
    }
  }
}

/** The new table belongs to the same role as the old one, and nobody else may do more with it than with the old one. */
function rightsOf({ table, rights, policies = [] }: Extract<Change, { kind: 'create' }>): string[] {
  if (!rights) return []
  const name = path(table.path)
  const role = (grantee: string) => (grantee === '' ? 'PUBLIC' : quote(grantee))
  const sequences = table.columns.filter(({ type }) => /serial/i.test(type)).map((column) => `${table.path.name}_${column.name}_seq`)
  return [
    `REVOKE ALL ON TABLE ${name} FROM ${['', ...rights.defaultGrantees].map(role).join(', ')};`,
    `ALTER TABLE ${name} OWNER TO ${quote(rights.owner)};`,
    ...rights.grants.flatMap(({ grantee, privileges, isGrantable }) => [
      `GRANT ${privileges.join(', ')} ON TABLE ${name} TO ${role(grantee)}${isGrantable ? ' WITH GRANT OPTION' : ''};`,
      ...sequences
        .filter(() => privileges.includes('INSERT'))
        .map((sequence) => `GRANT USAGE, SELECT ON SEQUENCE ${path({ ...table.path, name: sequence })} TO ${role(grantee)};`),
    ]),
    ...(rights.rowSecurity ? [`ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY;`] : []),
    ...(rights.forced ? [`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY;`] : []),
    ...policies.map((policy) => `CREATE POLICY ${quote(policy.name)} ON ${name} ${policy.clauses};`),
  ]
}

export const pg: Dialect = {
  quote,
  path,
  nameLimit: 63,
  namesKeysByTable: false,
  longText: 'text',
  breakpointLine: breakpoint,
  howToRun: 'Run it in one transaction: psql -v ON_ERROR_STOP=1 --single-transaction -f FILE. If it fails, nothing has changed.',
  render: {
    ...render,
    stop: ({ when, why }) => [`SELECT CAST(CASE WHEN ${when} THEN ${literal(why)} ELSE '0' END AS integer);`],
    create(change) {
      const { path: table, columns, keys } = change.table
      const constraints = keys.filter(({ isConstraint }) => isConstraint).map(constraint)
      return [
        `CREATE TABLE ${path(table)} (\n  ${[...columns.map(definition), ...constraints].join(',\n  ')}\n);`,
        ...keys.filter(({ isConstraint }) => !isConstraint).map((key) => createIndex(table, key)),
        ...rightsOf(change),
      ]
    },
    link: ({ keys }) => keys.map(addForeignKey),
    unlink: ({ keys }) => keys.map(({ table, name }) => `ALTER TABLE ${path(table)} DROP CONSTRAINT ${quote(name)};`),
    alter: ({ table, actions }) => [
      ...actions.flatMap((action) =>
        action.do === 'dropKey' && !action.key.isConstraint ? [`DROP INDEX ${path({ ...table, name: action.key.name })};`] : [],
      ),
      ...alter(table, actions.flatMap(clausesOf)),
      ...actions.flatMap((action) => (action.do === 'addKey' && !action.key.isConstraint ? [createIndex(table, action.key)] : [])),
    ],
    // Counters go on after the ids that were copied.
    copy: (change) => [
      ...render.copy(change),
      ...change.to.columns
        .filter(({ type, name }) => /serial|identity/i.test(type) && change.values.some(([column]) => column === name))
        .map(({ name }) => {
          const of = `pg_get_serial_sequence(${literal(path(change.to.path))}, ${literal(name)})`
          return `SELECT setval(${of}, max(${quote(name)})) FROM ${path(change.to.path)} HAVING max(${quote(name)}) IS NOT NULL;`
        }),
    ],
    // PostgreSQL cannot alter a table that has pending deferred checks.
    fill: ({ table, set }) => [update(table, set), 'SET CONSTRAINTS ALL IMMEDIATE;'],
    renameKeys: ({ keys }) =>
      keys.map(({ table, from, to, isConstraint }) =>
        isConstraint
          ? `ALTER TABLE ${path(table)} RENAME CONSTRAINT ${quote(from)} TO ${quote(to)};`
          : `ALTER INDEX ${path({ ...table, name: from })} RENAME TO ${quote(to)};`,
      ),
    renameTables: ({ tables }) =>
      tables.flatMap(([from, to]) => [
        ...(from.schema === to.schema ? [] : [`ALTER TABLE ${path(from)} SET SCHEMA ${quote(to.schema)};`]),
        ...(from.name === to.name ? [] : [`ALTER TABLE ${path({ ...from, schema: to.schema })} RENAME TO ${quote(to.name)};`]),
      ]),
  },
  // Row level security would hide rows from the statements: with this setting they fail.
  wrap: (steps, changes) =>
    changes.some((change) => change.kind === 'create' && change.rights?.rowSecurity)
      ? [
          { about: 'Fail where row level security would hide rows', sql: ['SET row_security = off;'] },
          ...steps,
          { about: 'Restore settings', sql: ['RESET row_security;'] },
        ]
      : steps,

  deleteFrom: (table) => `DELETE FROM ${path(table)} AS o`,
  exists: (table) => `to_regclass(${literal(path(table))}) IS NOT NULL`,
  text: (value) => `${value}::text`,
  concat: (...parts) => parts.join(' || '),
  earliest: (one, other) => `least(${one}, ${other})`,
  same: (one, other) => `${one}::text COLLATE "C" = ${other}::text COLLATE "C"`,
  equals: (one, other) => `(${one}) IS NOT DISTINCT FROM (${other})`,
  length: (text) => `char_length(${text}::text)`,
  hasOtherLetters: (text) => `octet_length(${text}::text) <> char_length(${text}::text)`,
  comparable: (value, { type, holds }) =>
    holds.holds === 'text' && type !== 'citext' ? `${value}::text COLLATE "C"` : `${value}::${type}`,
  newId: ({ holds }) =>
    ({ text: "replace(gen_random_uuid()::text, '-', '')", uuid: 'gen_random_uuid()' })[holds.holds as string] as string | undefined,
  moment: (column, seconds) => inUtc(seconds === 0 ? 'now()' : `(now() + interval '${seconds} seconds')`, column),
  fromSeconds: (value, column) => inUtc(`to_timestamp(${value})`, column),
  date,
  isDate,
  isVerified: (value) => `${value} IS NOT NULL`,
  // The second part of the token is JSON in base64url, which needs the other alphabet and its padding. Nothing here fails, whatever is stored.
  objectId(token) {
    const part = `translate(split_part(${token}, '.', 2), '-_', '+/')`
    const decoded = `encode(decode(rpad(${part}, (length(${part}) + 3) / 4 * 4, '='), 'base64'), 'escape')`
    const oid = `substring(${decoded} from '"oid"[[:space:]]*:[[:space:]]*"([0-9A-Za-z-]+)"')`
    return `CASE WHEN ${token} ~ '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.]' AND length(${part}) % 4 <> 1 THEN ${oid} END`
  },
  isSameType(old, { type, holds, isKey }) {
    if (old.looseCollation !== undefined && isKey) return type.toLowerCase() === old.looseCollation
    if (holds.holds === 'other') return old.type === type.toLowerCase()
    return old.holds === holds.holds && old.length === holds.length && old.bits === holds.bits && old.fraction === holds.fraction
  },
  converts: (old, { holds }) =>
    old.holds === holds.holds
      ? holds.holds !== 'other' && (old.bits ?? 0) <= (holds.bits ?? 64)
      : !old.isFilled && ((holds.holds === 'text' && old.holds !== 'bytes') || (isDate(old) && isDate(holds))),
  canRetype: (old, { holds }) => !isDate(old) || !isDate(holds),
  retyped({ old, now }) {
    const isZoned = isDate(old) && isDate(now.holds) && old.holds !== now.holds.holds
    const kept = old.default && (isZoned ? `(${old.default}) AT TIME ZONE 'UTC'` : `(${old.default})::${now.type}`)
    const collation = now.holds.holds === 'text' && !(now.isKey && old.looseCollation) ? old.collation : undefined
    return { ...liveColumn({ ...now, default: now.default ?? kept }), name: old.name, collation }
  },
}
