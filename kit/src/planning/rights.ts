import type { TablePath } from '../doctor/inspector.js'
import type { Catalog, NewTable, Planned, Rights } from './model.js'
import { nameKey } from './model.js'
import type { Notice } from './notices.js'
import { notice } from './notices.js'

/** PostgreSQL: what roles may do with a new table. Policies come with it if it has all of their columns. */
export function rightsFor({ rights }: Catalog, old: TablePath, now: NewTable, isReplaced: boolean) {
  const own = rights?.get(nameKey(old.schema, old.name))
  const fits = (policy: Rights['policies'][number]) =>
    isReplaced && policy.columns.every((name) => now.columns.some((column) => column.name === name))
  return { rights: own, policies: own?.policies.filter(fits) ?? [] }
}

/** What keeps rights from being given to new tables, and policies that are not. */
export function rightsNotices({ rights }: Catalog, olds: TablePath[], changes: Planned[]): Notice[] {
  const read = [...new Set(olds)].flatMap(({ schema, name }): Notice[] => {
    const own = rights?.get(nameKey(schema, name))
    if (!own) return []
    const columns = `${own.columnGrantees.join(', ')} has privileges on single columns, which the new table would not have`
    const revoke = 'Revoke them before the plan, and grant privileges on the new table afterwards.'
    const owner = `the table belongs to ${own.owner}, and this role cannot give the new table to it`
    const become = 'Run the command and the plan as this role, or as a superuser.'
    return [
      ...(own.seesAll ? [] : [notice('row-security', [name])]),
      ...(own.columnGrantees.length > 0 ? [notice('privileges', [name], columns, revoke)] : []),
      ...(own.isMember ? [] : [notice('privileges', [name], owner, become)]),
    ]
  })
  const closed = changes.flatMap((change): Notice[] => {
    if (change.kind !== 'create' || !change.rights?.rowSecurity) return []
    const lost = change.rights.policies.filter((policy) => !change.policies?.includes(policy)).map(({ name }) => name)
    const message = `the new table has row level security like the old one, but not these policies, whose columns it does not have: ${lost.join(', ')}`
    return lost.length === 0 ? [] : [notice('policies', [change.table.path.name.replace(/^new_/, '')], message)]
  })
  return [...read, ...closed]
}
