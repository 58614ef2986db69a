import { sql } from 'drizzle-orm'
import type { ColumnType, LiveTable } from '../core.js'
import { inspectors, read, samePath } from '../core.js'
import { alterSteps } from '../moving/alter.js'
import { pg as mover, syntax } from '../moving/pg.js'
import { restoreByAltering } from './alter.js'
import type { MoveDialect } from './dialect.js'
import { liveColumn, renamedTable } from './dialect.js'
import { namesAndAddresses, newDates } from './users.js'

const { quote, path } = syntax
const { lowerCase } = inspectors.pg

/** Drizzle writes and reads dates without a time zone as UTC. */
const inZone = (value: string, { holds }: ColumnType) => (holds === 'date' ? `(${value} AT TIME ZONE 'UTC')` : value)

export const pg: MoveDialect = {
  mover,
  path,
  nameLimit: 63,
  newId: ({ holds }) =>
    ({ text: "replace(gen_random_uuid()::text, '-', '')", uuid: 'gen_random_uuid()' })[holds.holds as string] as string | undefined,
  moment: (column, seconds) => inZone(seconds === 0 ? 'now()' : `(now() + interval '${seconds} seconds')`, column),
  fromSeconds: (value, column) => inZone(`to_timestamp(${value})`, column),
  date: (value, from, to) => (from.holds === to.holds ? value : `(${value} AT TIME ZONE 'UTC')`),
  text: (value) => `${value}::text`,
  concat: (...parts) => parts.join(' || '),
  earliest: (one, other) => `least(${one}, ${other})`,
  same: (one, other) => `${one}::text COLLATE "C" = ${other}::text COLLATE "C"`,
  length: (text) => `char_length(${text})`,
  hasOtherLetters: (text) => `octet_length(${text}::text) <> char_length(${text}::text)`,
  isDate: ({ holds }) => holds === 'date' || holds === 'zoned date',
  // The second part of the token is JSON in base64url, which needs the other alphabet and its padding. Nothing here fails, whatever is stored.
  objectId(token) {
    const part = `translate(split_part(${token}, '.', 2), '-_', '+/')`
    const decoded = `encode(decode(rpad(${part}, (length(${part}) + 3) / 4 * 4, '='), 'base64'), 'escape')`
    const oid = `substring(${decoded} from '"oid"[[:space:]]*:[[:space:]]*"([0-9A-Za-z-]+)"')`
    return `CASE WHEN ${token} ~ '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.]' AND length(${part}) % 4 <> 1 THEN ${oid} END`
  },
  updateFrom: (table, other, set, on) =>
    `UPDATE ${path(table)} AS t SET ${set.map(([column, value]) => `${quote(column)} = ${value}`).join(', ')} FROM ${path(other)} AS o WHERE ${on};`,
  async attachedTo(db, tables) {
    const rows = await read(
      db,
      { schema: sql`n.nspname::text`, table: sql`c.relname::text`, what: sql`d.what` },
      sql`(select t.tgrelid as relation, 'trigger ' || t.tgname as what from pg_trigger t where not t.tgisinternal
        union all select p.polrelid, 'policy ' || p.polname from pg_policy p
        union all select r.ev_class, 'rule ' || r.rulename from pg_rewrite r where r.rulename <> '_RETURN') d
        join pg_class c on c.oid = d.relation join pg_namespace n on n.oid = c.relnamespace`,
    )
    return rows.flatMap((row) => {
      const table = tables.find((one) => samePath(one, { schema: String(row.schema), name: String(row.table) }))
      return table ? [{ table, what: String(row.what) }] : []
    })
  },
  changesValues: () => false,
  keep({ old, kept, keptColumns }) {
    const [id] = keptColumns
    const reference = { name: `${kept.name}_id_fk`, table: kept, columns: [id?.name ?? ''], target: old, targetColumns: [id?.name ?? ''] }
    const rules = ' ON DELETE CASCADE'
    const key = quote(id?.name ?? '')
    return {
      sql: [
        `CREATE TABLE ${path(kept)} AS SELECT ${keptColumns.map(({ name }) => quote(name)).join(', ')} FROM ${path(old)};`,
        `ALTER TABLE ${path(kept)}\n  ADD PRIMARY KEY (${key}),\n  ADD CONSTRAINT ${quote(reference.name)} FOREIGN KEY (${key}) REFERENCES ${path(old)} (${key})${rules};`,
      ],
      after: { ...kept, columns: keptColumns, keys: [], foreignKeys: [{ ...reference, rules }] },
    }
  },
  prepareUsers(move) {
    const { old, verified } = move
    const [name, value] = [quote(verified.old.name), verified.now.default]
    const set = namesAndAddresses(move, quote, lowerCase)
    const isChanged = set.map(([column, changed]) => `${quote(column)} IS DISTINCT FROM ${changed}`).join(' OR ')
    const dates = newDates(move, pg)
    return {
      sql: [
        `UPDATE ${path(old)} SET ${set.map(([column, changed]) => `${quote(column)} = ${changed}`).join(', ')} WHERE ${isChanged};`,
        'SET CONSTRAINTS ALL IMMEDIATE;',
        `ALTER TABLE ${path(old)}\n  ${[
          `ALTER COLUMN ${name} DROP DEFAULT`,
          `ALTER COLUMN ${name} TYPE ${verified.now.type} USING (${name} IS NOT NULL)`,
          ...(value === undefined ? [] : [`ALTER COLUMN ${name} SET DEFAULT ${value}`]),
          `ALTER COLUMN ${name} SET NOT NULL`,
          ...dates.map(({ column }) => `ADD COLUMN ${quote(column.name)} ${column.type}`),
        ].join(',\n  ')};`,
        ...(dates.length > 0
          ? [`UPDATE ${path(old)} SET ${dates.map(({ column, now }) => `${quote(column.name)} = ${now}`).join(', ')};`]
          : []),
      ],
      after: {
        ...old,
        columns: [
          ...old.columns.map((column) => (column === verified.old ? { ...liveColumn(verified.now), name: column.name } : column)),
          ...dates.map(({ column }) => ({ ...liveColumn(column), notNull: false })),
        ],
      },
    }
  },
  setAside(table, to, renamed) {
    const after = renamedTable(table, to, renamed)
    const rename = (from: LiveTable, into: LiveTable) => [
      ...from.keys.flatMap((key, index) => syntax.adoptKey(table, key, into.keys[index] as typeof key)),
      ...from.foreignKeys.map(
        ({ name }, index) =>
          `ALTER TABLE ${path(table)} RENAME CONSTRAINT ${quote(name)} TO ${quote(into.foreignKeys[index]?.name as string)};`,
      ),
    ]
    return {
      sql: [...rename(table, after), syntax.renameTable(table, to)],
      undo: [syntax.renameTable(to, table), ...rename(after, table)],
      after,
    }
  },
  typeChanges: (move, missing, current) => alterSteps(syntax, [move], missing, current, { about: '', sql: [] }).types,
  restoreUsers(move, types, current) {
    const { old, verified, kept, keptColumns } = move
    const { before, after } = restoreByAltering(
      {
        syntax,
        fullType: ({ type, collation }) => `${type}${collation ? ` COLLATE ${collation}` : ''}`,
        emptyVerified({ verified: { old: column } }) {
          const name = quote(column.name)
          return [
            `ALTER COLUMN ${name} DROP DEFAULT`,
            `ALTER COLUMN ${name} DROP NOT NULL`,
            `ALTER COLUMN ${name} TYPE ${column.type} USING NULL`,
            ...(column.default === undefined ? [] : [`ALTER COLUMN ${name} SET DEFAULT ${column.default}`]),
          ]
        },
        dropDefault: (column) => `ALTER COLUMN ${quote(column)} DROP DEFAULT`,
        prepare: () => [],
        dropKey: (table, { name, isConstraint }) =>
          isConstraint
            ? `ALTER TABLE ${path(table)} DROP CONSTRAINT ${quote(name)};`
            : `DROP INDEX ${path({ schema: table.schema, name })};`,
      },
      move,
      types,
      current,
    )
    const [id, ...columns] = keptColumns.map(({ name }) => quote(name))
    const isRequired = verified.old.notNull ? [`ALTER TABLE ${path(old)} ALTER COLUMN ${quote(verified.old.name)} SET NOT NULL;`] : []
    return [
      'SET CONSTRAINTS ALL IMMEDIATE;',
      ...before,
      `UPDATE ${path(old)} AS t SET ${columns.map((name) => `${name} = o.${name}`).join(', ')} FROM ${path(kept)} AS o WHERE o.${id} = t.${id};`,
      ...isRequired,
      ...after,
    ]
  },
  dropTables: (tables) => [`DROP TABLE ${tables.map((table) => path(table.path)).join(', ')};`],
  inTransaction: (steps) => steps,
}
