// What a Drizzle table says about itself. `getTableConfig` would say the same, but it is in the core of each dialect, and a bundle would then contain all
// three of them. test/auth/better-auth/existing.test.ts fails if these details change.

import type { Column, Table } from 'drizzle-orm'
import type { Columns } from '../../query/drizzle.js'
import { getTableColumns } from '../../query/drizzle.js'
import { kindsOf } from '../../query/internals.js'

/** A column with the details that its class keeps. */
export type DefinedColumn = Column & {
  readonly config: Readonly<Record<string, unknown>>
  readonly [detail: string]: unknown
}

export interface ForeignKey {
  readonly onDelete?: string
  readonly onUpdate?: string
  reference(): { name?: string; columns: Column[]; foreignColumns: Column[]; foreignTable: Table }
}

/** An index or a constraint, and the builder that made it. */
interface Constraint {
  readonly kind: string
  readonly name?: string
  readonly built: Readonly<Record<string, unknown>>
}

export interface Definition {
  readonly table: Table
  readonly name: string
  readonly schema?: string
  readonly columns: Readonly<Record<string, DefinedColumn>>
  /** The foreign keys that `references()` of a column made. */
  readonly references: readonly ForeignKey[]
  readonly constraints: readonly Constraint[]
  readonly hasRowSecurity: boolean
}

interface Builder {
  readonly name?: string
  build?(table: Table): Record<string, unknown>
}

export function definitionOf(table: Table): Definition {
  const detail = (name: string) => (table as unknown as Record<symbol, unknown>)[Symbol.for(`drizzle:${name}`)]
  const columns = getTableColumns(table) as Columns
  const configure = detail('ExtraConfigBuilder') as ((columns: unknown) => object) | undefined
  const builders = Object.values(configure?.(detail('ExtraConfigColumns') ?? columns) ?? {}).flat() as Builder[]
  const references = ['Pg', 'MySql', 'SQLite'].flatMap((dialect) => (detail(`${dialect}InlineForeignKeys`) ?? []) as ForeignKey[])
  const schema = detail('Schema') as string | undefined
  return {
    table,
    name: String(detail('Name')),
    ...(schema !== undefined && { schema }),
    columns: columns as Record<string, DefinedColumn>,
    references,
    constraints: builders.map((builder) => ({
      kind: (kindsOf(builder)[0] ?? '').replace(/^(Pg|MySql|SQLite)/, ''),
      ...(builder.name !== undefined && { name: builder.name }),
      built: builder.build?.(table) ?? {},
    })),
    hasRowSecurity: detail('EnableRLS') === true,
  }
}
