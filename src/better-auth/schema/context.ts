import type { BetterAuthOptions } from '@better-auth/core'
import type { BetterAuthDBSchema } from '@better-auth/core/db'
import type { DialectName } from '../../query/internals.js'
import { columnWriters } from './columns.js'
import type { Surroundings } from './existing.js'
import { member } from './names.js'
import type { Naming, TablePlan } from './plan.js'

/** What the schema file depends on. */
export interface SchemaOptions extends Naming {
  readonly dialect: DialectName
  /** Whether the installed Drizzle is 1.0. The official generators differ. */
  readonly isV1: boolean
  /** Whether columns and tables are named in camelCase in the database. Otherwise in snake_case. */
  readonly camelCase: boolean
  readonly usePlural: boolean
  /** The schema of PostgreSQL in which new tables are. */
  readonly schemaName?: string | undefined
  readonly options: BetterAuthOptions
  /** The tables as the app has them. They are repeated as they are. */
  readonly schema: Readonly<Record<string, unknown>>
  /** The text of the file that is replaced. */
  readonly current: string
}

/** A table among the others of the file. */
export interface TableContext {
  readonly tables: BetterAuthDBSchema
  readonly plans: readonly TablePlan[]
  readonly position: number
  readonly namespaces: ReadonlyMap<string, string>
  /** The enums of PostgreSQL that the columns need, with their names in the file. */
  readonly enums: Map<unknown, string>
  readonly settings: SchemaOptions
  local(name: string): string
}

export function surroundingsOf({ plans, position, local, enums, settings }: TableContext): Surroundings {
  return {
    anyColumn: columnWriters[settings.dialect].anyColumn,
    columnOf(table, { name }) {
      const at = plans.findIndex(({ existing }) => existing?.table === table)
      const { exported = '', existing } = plans[at] ?? {}
      const key = Object.keys(existing?.columns ?? {}).find((each) => existing?.columns[each]?.name === name)
      return key === undefined ? undefined : { text: member(local(exported), key), isLater: at >= position }
    },
    enumName(of) {
      const key = Object.keys(settings.schema).find((each) => settings.schema[each] === of)
      if (key !== undefined && !enums.has(of)) enums.set(of, local(key))
      return enums.get(of)
    },
  }
}
