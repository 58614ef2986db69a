import type { Database, LiveTable, TablePath } from '../core.js'
import { samePath } from '../core.js'
import type { Current, Notice } from '../moving/model.js'
import { nameInUse, nameKey, notice } from '../moving/model.js'
import { mentions } from '../moving/obstacles.js'
import type { MoveDialect, UserMove } from './dialect.js'
import { prefix } from './model.js'

/** The catalog while the table of users changes: the old tables have been set aside. */
export function nextState(
  current: Current,
  users: LiveTable,
  prepared: LiveTable,
  asides: { live: LiveTable; after: LiveTable }[],
  kept: LiveTable,
): Current {
  const renamed = new Map(asides.map(({ live, after }) => [live, after]))
  const names = new Set(current.names)
  const spellings = (schema: string, name: string) => [nameKey(schema, name), nameKey(schema, name.toLowerCase())]
  const all = ({ schema, name, keys, foreignKeys }: LiveTable) =>
    [name, ...keys.map((key) => key.name), ...foreignKeys.map((key) => key.name)].flatMap((one) => spellings(schema, one))
  for (const { live } of asides) for (const name of all(live)) names.delete(name)
  for (const table of [...asides.map(({ after }) => after), kept]) for (const name of spellings(table.schema, table.name)) names.add(name)
  const sameTable = (one: TablePath) => asides.find(({ live }) => samePath(live, one))?.after
  return {
    ...current,
    names,
    tables: [...current.tables.map((table) => (table === users ? prepared : (renamed.get(table) ?? table))), kept],
    dependents: current.dependents.map((one) => ({ ...one, table: sameTable(one.table) ?? one.table })),
    ...(current.attached && { attached: current.attached.filter(({ table }) => !asides.some(({ live }) => live.name === table)) }),
  }
}

/** What belongs to a table that is set aside would silently follow it. */
export async function attached(db: Database, dialect: MoveDialect, current: Current, asides: { live: LiveTable }[]): Promise<Notice[]> {
  const tables = asides.map(({ live }) => live)
  const found = await dialect.attachedTo(db, tables)
  return tables.flatMap((table) => {
    const users = [
      ...found.filter((one) => one.table === table),
      ...current.dependents.filter((one) => samePath(one.table, table) && one.breaksOn === 'type'),
      ...current.texts.filter(({ text }) => mentions(text, table.name)),
    ].map(({ what }) => what)
    const references = current.tables
      .filter((one) => !tables.includes(one))
      .flatMap(({ foreignKeys, name }) =>
        foreignKeys.filter(({ target }) => samePath(target, table)).map((key) => `foreign key ${key.name} of ${name}`.replace('  ', ' ')),
      )
    const all = [...new Set([...users, ...references])]
    const fix = 'Drop these before you run the plan, and create them again afterwards, for the new table.'
    return [
      ...(all.length > 0
        ? [notice('in-use', [table.name], `the table cannot be set aside while these use it: ${all.join(', ')}`, fix)]
        : []),
      ...(table.peculiarity ? [notice('unsupported-table', [table.name], `the plan cannot change the table: ${table.peculiarity}`)] : []),
    ]
  })
}

/** Names that the plan gives to the old tables and their keys. */
export function namesOf(dialect: MoveDialect, current: Current, asides: { after: LiveTable }[], { kept }: UserMove): Notice[] {
  const wanted = [
    { ...kept, name: `${kept.name}_id_fk` },
    kept,
    ...asides.flatMap(({ after }) => [after, ...after.keys, ...after.foreignKeys].map(({ name }) => ({ schema: after.schema, name }))),
  ].filter(({ name }) => name.startsWith(prefix))
  const isTaken = ({ schema, name }: TablePath) => [name, name.toLowerCase()].some((one) => current.names.has(nameKey(schema, one)))
  return [
    ...wanted.filter(isTaken).map(({ name }) => nameInUse(name)),
    ...wanted
      .filter(({ name }) => new TextEncoder().encode(name).length > dialect.nameLimit)
      .map(({ name }) =>
        notice('name-too-long', [], `the plan needs the name ${name}, which is too long`, 'Rename the table, index or constraint first.'),
      ),
  ]
}
