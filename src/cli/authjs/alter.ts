import type { LiveColumn, LiveForeignKey, LiveKey, TablePath } from '../core.js'
import { samePath } from '../core.js'
import type { Syntax, TableChange, TypeChange } from '../moving/alter.js'
import type { Current } from '../moving/model.js'
import { foreignKeysOf, sameList } from '../moving/model.js'
import type { UserMove } from './dialect.js'
import { liveColumn } from './dialect.js'

/** How a database with a full ALTER TABLE turns columns back. */
export interface Restoring {
  syntax: Syntax
  /** The type of a column with all that its definition must repeat. */
  fullType(column: LiveColumn): string
  /** The clauses that turn `emailVerified`, under its old name, from a boolean into an empty column of dates. */
  emptyVerified(move: UserMove): string[]
  dropKey(table: TablePath, key: LiveKey): string
  /** The clause that drops a default which the old column did not have, if a new type does not drop it. */
  dropDefault?(column: string): string
  /** Statements that must run before columns get their old types. */
  prepare(table: TablePath, changes: TypeChange[]): string[]
}

const alter = ({ path }: Syntax, table: TablePath, actions: string[]) =>
  actions.length === 0 ? [] : [`ALTER TABLE ${path(table)}\n  ${actions.join(',\n  ')};`]

/** Turns the changes of `alterSteps` back: the columns, keys and references of the users. */
export function restoreByAltering(restoring: Restoring, move: UserMove, types: TableChange[], current: Current) {
  const { syntax } = restoring
  const { quote, path } = syntax
  const { old: users, now } = move
  const isUsers = (table: TablePath) => samePath(table, users)
  const pathNow = (table: TablePath) => (isUsers(table) ? now.path : table)
  const isChanged = (table: TablePath, columns: string[]) =>
    types.some((one) => samePath(one.table, table) && one.columns.some(({ oldName }) => columns.includes(oldName)))
  const off = foreignKeysOf(current).filter((key) => isChanged(key.table, key.columns) || isChanged(key.target, key.targetColumns))
  const reversed = ({ old, oldName, type, holds }: TypeChange): TypeChange => {
    const before = { ...old, name: oldName }
    return {
      old: { ...before, ...holds, type, collation: undefined, characterSet: undefined, looseCollation: undefined },
      oldName,
      type: restoring.fullType(before),
      holds: before,
      notNull: before.notNull,
      isKey: false,
      default: before.default,
      isOwn: true,
    }
  }
  const back = (table: TablePath, columns: TypeChange[]) => {
    const changes = columns.map(reversed)
    const isNew = (change: TypeChange) => change.default !== undefined && change.old.default === undefined
    const dropped = columns.filter(isNew).flatMap(({ oldName }) => restoring.dropDefault?.(oldName) ?? [])
    return { prepare: restoring.prepare(table, changes), actions: [...dropped, ...changes.flatMap(syntax.changeType)] }
  }
  const own = types.find(({ table }) => isUsers(table))?.columns ?? []
  const ofUsers = back(users, own)
  const nulls = move.columns.flatMap(({ old, now: column }) =>
    old && old !== move.verified.old && old.notNull !== column.notNull && !own.some(({ oldName }) => oldName === old.name)
      ? [syntax.changeNull({ ...liveColumn(column), ...old }, old.notNull)]
      : [],
  )
  const { undone, created } = keyChanges(move)
  return {
    before: [
      ...off.map((key) => syntax.dropForeignKey({ ...key, table: pathNow(key.table) })),
      ...created.map((key) => restoring.dropKey(now.path, key)),
      ...(samePath(now.path, users) ? [] : [syntax.renameTable(now.path, users)]),
      ...move.columns.flatMap(({ old, now: column }) =>
        old && old.name !== column.name ? [`ALTER TABLE ${path(users)} RENAME COLUMN ${quote(column.name)} TO ${quote(old.name)};`] : [],
      ),
      ...alter(syntax, users, restoring.emptyVerified(move)),
      ...alter(
        syntax,
        users,
        move.added.map(({ name }) => `DROP COLUMN ${quote(name)}`),
      ),
      ...ofUsers.prepare,
      ...alter(syntax, users, [...ofUsers.actions, ...nulls]),
      ...undone.flatMap(({ was, is }) =>
        was.isConstraint === is.isConstraint
          ? syntax.adoptKey(users, is, was)
          : [restoring.dropKey(users, is), syntax.createIndex(users, was)],
      ),
      ...types
        .filter(({ table }) => !isUsers(table))
        .flatMap(({ table, columns }) => {
          const { prepare, actions } = back(table, columns)
          return [...prepare, ...alter(syntax, table, actions)]
        }),
    ],
    after: off.map(
      ({ table, name, columns, target, targetColumns, rules }: LiveForeignKey) =>
        `ALTER TABLE ${path(table)} ADD CONSTRAINT ${quote(name)} FOREIGN KEY (${columns.map(quote).join(', ')}) REFERENCES ${path(target)} (${targetColumns.map(quote).join(', ')})${rules};`,
    ),
  }
}

/** The keys of the users that the plan has renamed, and those that it has created. */
function keyChanges({ now, old, columns }: UserMove): { undone: { was: LiveKey; is: LiveKey }[]; created: LiveKey[] } {
  const present = old.keys.filter(({ isPlain, kind }) => isPlain && kind !== 'primary')
  const namesNow = (names: string[]) => names.map((name) => columns.find((column) => column.old?.name === name)?.now.name ?? name)
  const undone: { was: LiveKey; is: LiveKey }[] = []
  const created: LiveKey[] = []
  for (const is of now.keys.filter(({ kind }) => kind !== 'primary')) {
    const same = present.filter((key) => key.kind === is.kind && sameList(namesNow(key.columns), is.columns))
    const was = same.find(({ name }) => name === is.name) ?? same[0]
    if (!was) created.push(is)
    else if (was.name !== is.name || was.isConstraint !== is.isConstraint) undone.push({ was, is })
  }
  return { undone, created }
}
