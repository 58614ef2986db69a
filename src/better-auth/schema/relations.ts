import type { BetterAuthDBSchema, DBFieldAttribute } from '@better-auth/core/db'
import { capitalize, literal, member, property } from './names.js'
import type { Naming, TablePlan } from './plan.js'
import { keyOfModel } from './plan.js'

interface Relation {
  readonly key: string
  readonly kind: 'one' | 'many'
  /** The key of the other model. */
  readonly target: string
  /** The columns on both sides, by their names in code. */
  readonly from: string
  readonly to: string
  /** Whether this table has the foreign key. */
  readonly isOwner: boolean
  /** Tells relations between the same two tables apart. */
  readonly name?: string
}

interface RelationOptions {
  readonly isV1: boolean
  readonly usePlural: boolean
  readonly naming: Naming
  local(name: string): string
}

/** The relations between the tables, under the names that the official generator for the installed Drizzle gives them. */
export function relationsText(tables: BetterAuthDBSchema, plans: readonly TablePlan[], options: RelationOptions): string[] {
  const { isV1, local } = options
  const models = plans.filter((plan): plan is TablePlan & { model: string } => plan.model !== undefined)
  const exportOf = (model: string) => models.find((plan) => plan.model === model)?.exported ?? model
  const written = new Set(models.map(({ model }) => model))
  const related = models
    .map((plan) => ({ ...plan, relations: relationsOf(tables, plan, written, options) }))
    .filter(({ relations }) => relations.length > 0)
  if (related.length === 0) return []

  if (isV1) {
    // Drizzle has functions of these two names beside the tables.
    const keyOf = (exported: string) => (['one', 'many'].includes(exported) ? local(exported) : exported)
    const list = models.map(({ exported }) =>
      keyOf(exported) === local(exported) ? local(exported) : `${property(exported)}: ${local(exported)}`,
    )
    const entries = related.map(({ exported, relations }) => {
      const column = (table: string, name: string) => member(member('r', keyOf(table)), name)
      const lines = relations.map(({ key, kind, target, from, to }) => {
        const other = exportOf(target)
        const ends = `{ from: ${column(exported, from)}, to: ${column(other, to)} }`
        return `    ${property(key)}: ${member(`r.${kind}`, keyOf(other))}(${ends}),`
      })
      return `  ${property(keyOf(exported))}: {\n${lines.join('\n')}\n  },`
    })
    return [`export const authRelations = defineRelationsPart({ ${list.join(', ')} }, (r) => ({\n${entries.join('\n')}\n}))`]
  }

  return related.map(({ exported, model, relations }) => {
    const helpers = ['one', 'many'].filter((kind) => relations.some((relation) => relation.kind === kind))
    const lines = relations.map(({ key, kind, target, from, to, isOwner, name }) => {
      const config = [
        ...(isOwner ? [`fields: [${member(local(exported), from)}]`, `references: [${member(local(exportOf(target)), to)}]`] : []),
        ...(name === undefined ? [] : [`relationName: ${literal(name)}`]),
      ]
      return `  ${property(key)}: ${kind}(${local(exportOf(target))}${config.length > 0 ? `, { ${config.join(', ')} }` : ''}),`
    })
    const text = `relations(${local(exported)}, ({ ${helpers.join(', ')} }) => ({\n${lines.join('\n')}\n}))`
    return `export const ${local(`${options.naming.modelName(model)}Relations`)} = ${text}`
  })
}

function relationsOf(
  tables: BetterAuthDBSchema,
  { model, fields, existing }: TablePlan & { model: string },
  written: ReadonlySet<string>,
  options: RelationOptions,
): Relation[] {
  const columns = new Set([...fields.map(({ name }) => name), ...Object.keys(existing?.columns ?? {})])
  const { isV1, usePlural, naming } = options
  const relations: Relation[] = []
  const add = (relation: Relation) => {
    // Drizzle wants one name for each relation and column.
    const isTaken = columns.has(relation.key) || relations.some(({ key }) => key === relation.key)
    relations.push(isTaken ? { ...relation, key: `${relation.key}_${relations.length + 1}` } : relation)
  }
  const references = (key: string) =>
    Object.entries(tables[key]?.fields ?? {}).flatMap(([field, attributes]) => {
      const target = attributes.references && keyOfModel(tables, attributes.references.model, naming)
      return target !== undefined && written.has(target) ? [{ field, attributes, target }] : []
    })
  const ends = (owner: string, field: string, target: string, { references }: DBFieldAttribute) => ({
    own: naming.fieldName({ model: owner, field }),
    other: naming.fieldName({ model: target, field: references?.field ?? 'id' }),
  })

  const own = references(model)
  for (const { field, attributes, target } of own) {
    const { own: from, other: to } = ends(model, field, target, attributes)
    const hasSeveral = own.filter((each) => each.target === target).length > 1
    const singular = tables[target]?.modelName ?? target
    const isTaken = relations.some((each) => each.target === target)
    const key = isV1
      ? isTaken
        ? `${capitalize(field)}${capitalize(singular)}`
        : singular
      : hasSeveral
        ? field.replace(/Id$/, '')
        : singular
    const name = `${naming.modelName(model)}_${field}`
    add({ key, kind: 'one', target, from, to, isOwner: true, ...(hasSeveral && { name }) })
  }

  for (const other of written) {
    if (other === model) continue
    const pointing = references(other).filter(({ target }) => target === model)
    const lists = pointing.filter(({ attributes }) => !attributes.unique)
    // The generator for 1.0 has the unique ones only if there are no others.
    const shown = isV1 ? (lists.length > 0 ? lists : pointing.slice(0, 1)) : pointing
    const hasSeveral = shown.length > 1
    for (const { field, attributes } of shown) {
      const { own: to, other: from } = ends(other, field, model, attributes)
      const otherName = naming.modelName(other)
      const kind = attributes.unique ? 'one' : 'many'
      const isPlural = usePlural || kind === 'one' || (isV1 && otherName.endsWith('s'))
      const key = `${otherName}${isPlural ? '' : 's'}${hasSeveral ? `By${capitalize(field)}` : ''}`
      const name = `${otherName}_${field}`
      add({ key, kind, target: other, from, to, isOwner: false, ...(hasSeveral && { name }) })
    }
  }
  return relations
}
