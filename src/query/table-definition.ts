import type { Column, Table } from 'drizzle-orm'
import type { Model } from '../models.js'
import { exactColumnsOf, isText, keysOf } from './columns.js'
import type { RowCodec } from './rows.js'
import { createRowCodec } from './rows.js'
import type { StatementDialect } from './statement-dialect.js'
import { KeptStatements } from './statements.js'

/** What is known about a table without a database. It is kept as long as the table, because an adapter may be made for each request. */
export interface TableDefinition {
  /** Tells it from other tables in the ids of statements. */
  readonly id: number
  readonly model: Model
  readonly dialect: StatementDialect
  readonly codec: RowCodec
  readonly key: readonly string[]
  /** The keys that identify one row: that of the model, and unique columns. */
  readonly uniqueKeys: readonly (readonly string[])[]
  /** Whether the values of the column have one spelling: it identifies rows, or refers to a column that does. */
  isKey(column: string): boolean
  /** Whether the column holds the id of a user in the contract. */
  isId(column: string): boolean
  /** Whether the column's own `=` compares exactly. */
  isExact(column: string): boolean
  readonly areNamed: boolean
  readonly statements: KeptStatements
}

const definitions = new WeakMap<Table, TableDefinition[]>()
let definitionCount = 0

export function define(table: Table, model: Model, key: readonly string[], dialect: StatementDialect, areNamed: boolean): TableDefinition {
  const known = definitions.get(table) ?? []
  definitions.set(table, known)
  let definition = known.find((each) => each.model === model && each.areNamed === areNamed && each.key.join() === key.join())
  if (!definition) {
    const keys = keysOf(table, key)
    const isId = (name: string) => model[name]?.kind === 'id'
    const isKey = (name: string) => keys.has(name) || isId(name)
    const codec = createRowCodec(table, model, dialect, isKey)
    const { names, columns } = codec
    const unique = names.filter((name) => columns[name]?.isUnique)
    const exactColumns = exactColumnsOf(table)
    definition = {
      id: definitionCount++,
      dialect,
      model,
      codec,
      key,
      uniqueKeys: [key, ...unique.map((name) => [name])],
      isId,
      isKey,
      isExact: (name) => exactColumns.includes(name) || !isText(columns[name] as Column),
      areNamed,
      statements: new KeptStatements(areNamed),
    }
    known.push(definition)
  }
  return definition
}
