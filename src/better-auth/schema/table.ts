import { toSnakeCase } from '../../definition/snake-case.js'
import { configError } from '../../query/errors.js'
import { idKindOf, newColumn, newIndex } from './added.js'
import { columnWriters } from './columns.js'
import type { TableContext } from './context.js'
import { surroundingsOf } from './context.js'
import { columnText, constraintTexts } from './existing.js'
import { literal, property } from './names.js'
import type { TablePlan } from './plan.js'
import { UnwritableError } from './sql.js'

/** A table as code. */
export function tableText(context: TableContext): string {
  const { plans, position, local, namespaces, settings } = context
  const writer = columnWriters[settings.dialect]
  const plan = plans[position] as TablePlan
  const { exported, existing, fields, indexes } = plan
  const surroundings = surroundingsOf(context)
  const named = (name: string) => (settings.camelCase ? name : toSnakeCase(name))
  const attempt = <T>(what: string, write: () => T): T => {
    try {
      return write()
    } catch (error) {
      if (!(error instanceof UnwritableError)) throw error
      return configError(
        `drizzleAdapter: a schema file cannot repeat ${what} as it is, because of ${error.message}. Leave your file as it is, and add to it what npx auth check lists`,
      )
    }
  }

  const lines = existing
    ? Object.entries(existing.columns).map(([key, column]) =>
        attempt(`${exported}.${key}`, () => `  ${property(key)}: ${columnText(key, column, existing, surroundings)},`),
      )
    : [`  id: ${writer.id(idKindOf(settings.options))},`]
  for (const field of fields)
    if (!existing || !Object.hasOwn(existing.columns, field.name))
      lines.push(...attempt(`the column to which ${exported}.${field.name} refers`, () => newColumn(field, plan, context)))

  const constraints = existing ? attempt(`the indexes of ${exported}`, () => constraintTexts(existing, surroundings)) : []
  const extra = [...constraints.map((text) => `  ${text},`), ...indexes.flatMap((index) => newIndex(index, plan))]
  const name = existing ? existing.name : named(settings.modelName(plan.model as string))
  const namespace = existing ? existing.schema : settings.dialect === 'pg' ? settings.schemaName : undefined
  const create = namespace === undefined ? writer.table : `${namespaces.get(namespace)}.table`
  const variable = local(exported)
  const isExported = variable === exported
  const options = extra.some((line) => !/^ *\/\//.test(line)) ? `, (table) => [\n${extra.join('\n')}\n]` : ''
  const notes = options ? [] : extra
  return [
    ...notes.map((line) => line.trim()),
    `${isExported ? 'export ' : ''}const ${variable} = ${create}(${literal(name)}, {\n${lines.join('\n')}\n}${options})${existing?.hasRowSecurity ? '.enableRLS()' : ''}`,
    ...(isExported ? [] : [`export { ${variable} as ${property(exported)} }`]),
  ].join('\n')
}
