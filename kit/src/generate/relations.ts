import { importName } from '../code/insert.js'
import type { Model } from './models.js'
import { columnOf, referredBy } from './models.js'
import type { Context, Writer } from './writer.js'

/** `isOwner` says whether this table has the foreign key. A name tells relations between the same two tables apart. */
interface Relation extends Record<'key' | 'from' | 'to', string> {
  readonly kind: 'one' | 'many'
  readonly target: Model
  readonly isOwner: boolean
  readonly name: string | false
}

const capitalize = (name: string) => name.charAt(0).toUpperCase() + name.slice(1)

/** The relations of new tables, under the names that the official generator for the installed Drizzle gives them. */
export function relationsText(created: readonly Model[], writer: Writer): string[] {
  const { context, source } = writer
  const { indent, semicolon } = source.style
  const related = created
    .map((model) => ({ model, relations: relationsOf(model, created, context) }))
    .filter((each) => each.relations.length > 0)
  const local = (model: Model) => writer.tableName(model) ?? model.name
  if (context.config.isV1) {
    // Drizzle 1.0 wants all relations in one place, and an app with tables has one.
    if (related.length === 0 || context.models.some(({ existing }) => existing)) return []
    // Drizzle has functions of these two names beside the tables.
    const keyOf = (model: Model) => (['one', 'many'].includes(model.name) ? local(model) : model.name)
    const column = (of: Model, name: string) => writer.member(writer.member('r', keyOf(of)), name)
    const entries = related.map(({ model, relations }) => {
      const lines = relations.map(({ key, kind, target, from, to }) => {
        const ends = `{ from: ${column(model, from)}, to: ${column(target, to)} }`
        return `    ${writer.property(key)}: ${writer.member(`r.${kind}`, keyOf(target))}(${ends}),\n`
      })
      return `  ${writer.property(keyOf(model))}: {\n${lines.join('')}  },\n`
    })
    const list = created.map((each) => (keyOf(each) === local(each) ? local(each) : `${writer.property(keyOf(each))}: ${local(each)}`))
    const call = importName(source, 'drizzle-orm', 'defineRelationsPart')
    return [`export const authRelations = ${call}({ ${list.join(', ')} }, (r) => ({\n${entries.join('')}}))`]
  }
  return related.flatMap(({ model, relations }) => {
    const variable = `${local(model)}Relations`
    if (source.names.has(variable)) return []
    const helpers = ['one', 'many'].filter((kind) => relations.some((relation) => relation.kind === kind))
    const lines = relations.map(({ key, kind, target, from, to, isOwner, name }) => {
      const ends = isOwner && `fields: [${writer.member(local(model), from)}], references: [${writer.member(local(target), to)}]`
      const options = [ends, name && `relationName: ${writer.literal(name)}`].filter(Boolean).join(', ')
      return `${indent}${writer.property(key)}: ${kind}(${local(target)}${options && `, { ${options} }`}),\n`
    })
    const call = importName(source, 'drizzle-orm', 'relations')
    return `export const ${variable} = ${call}(${local(model)}, ({ ${helpers.join(', ')} }) => ({\n${lines.join('')}}))${semicolon}`
  })
}

function relationsOf(model: Model, created: readonly Model[], { models, config, located }: Context): Relation[] {
  const { isV1, usePlural } = config
  const relations: Relation[] = []
  const add = (relation: Relation) => {
    // Drizzle wants one name for each relation and column.
    const isTaken = Object.hasOwn(model.fields, relation.key) || relations.some(({ key }) => key === relation.key)
    relations.push(isTaken ? { ...relation, key: `${relation.key}_${relations.length + 1}` } : relation)
  }
  const references = (of: Model) =>
    Object.entries(of.fields).flatMap(([column, { field, unique, references }]) => {
      const target = referredBy({ references }, models)
      return target && located.has(target) ? [{ field, unique, column, target, end: columnOf(target, references?.field) }] : []
    })

  const own = references(model)
  for (const { field, column, target, end } of own) {
    const hasSeveral = own.filter((each) => each.target === target).length > 1
    const singular = usePlural ? target.name.replace(/s$/, '') : target.name
    const long = relations.some((each) => each.target === target) ? capitalize(field) + capitalize(singular) : singular
    const key = isV1 ? long : hasSeveral ? field.replace(/Id$/, '') : singular
    add({ key, kind: 'one', target, from: column, to: end, isOwner: true, name: hasSeveral && `${model.name}_${field}` })
  }
  for (const other of created.filter((each) => each !== model)) {
    const pointing = references(other).filter(({ target }) => target === model)
    const lists = pointing.filter(({ unique }) => !unique)
    // The generator for 1.0 has the unique ones only if there are no others.
    const shown = isV1 ? (lists.length > 0 ? lists : pointing.slice(0, 1)) : pointing
    for (const { field, unique, column, end } of shown) {
      const plural = usePlural || unique || (isV1 && other.name.endsWith('s')) ? '' : 's'
      const key = `${other.name}${plural}${shown.length > 1 ? `By${capitalize(field)}` : ''}`
      const name = shown.length > 1 && `${other.name}_${field}`
      add({ key, kind: unique ? 'one' : 'many', target: other, from: end, to: column, isOwner: false, name })
    }
  }
  return relations
}
