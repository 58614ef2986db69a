import { freshName, importName } from '../code/insert.js'
import type { Model } from './models.js'
import { columnOf, referredBy } from './models.js'
import type { Writer } from './writer.js'

/** `isOwner` says whether the table of this relation has the foreign key, `local` is the name of the other table in the file. */
interface Relation extends Record<'key' | 'local' | 'from' | 'to', string> {
  readonly kind: 'one' | 'many'
  readonly target: Model
  readonly isOwner: boolean
}

/** The relations of new tables. */
export function relationsText(created: readonly Model[], writer: Writer): string[] {
  const { context, source } = writer
  const { indent, semicolon } = source.style
  const local = (model: Model) => writer.tableName(model) ?? model.name
  const related = created.flatMap((model) => {
    const relations = relationsOf(model, created, writer)
    return relations.length > 0 ? [{ model, relations }] : []
  })
  if (related.length === 0) return []
  if (context.config.isV1) {
    const column = (of: Model, name: string) => writer.member(writer.member('r', of.name), name)
    const entries = related.map(({ model, relations }) => {
      const lines = relations.map(({ key, kind, target, from, to }) => {
        const ends = `{ from: ${column(model, from)}, to: ${column(target, to)} }`
        return `${indent.repeat(2)}${writer.property(key)}: ${writer.member(`r.${kind}`, target.name)}(${ends}),\n`
      })
      return `${indent}${writer.property(model.name)}: {\n${lines.join('')}${indent}},\n`
    })
    const tables = new Set([...created, ...related.flatMap(({ relations }) => relations.map(({ target }) => target))])
    const list = [...tables].map((each) => (local(each) === each.name ? each.name : `${writer.property(each.name)}: ${local(each)}`))
    const name = freshName(source.names.has('authRelations') ? `${created[0]?.name}-relations` : 'authRelations', source)
    const call = importName(source, 'drizzle-orm', 'defineRelationsPart')
    const hint = `// Add these to the relations of drizzle(), as in { ...relations, ...${name} }.\n`
    return [`${hint}export const ${name} = ${call}({ ${list.join(', ')} }, (r) => ({\n${entries.join('')}}))${semicolon}`]
  }
  return related.flatMap(({ model, relations }) => {
    const variable = `${local(model)}Relations`
    if (source.names.has(variable)) return []
    const helpers = ['one', 'many'].filter((kind) => relations.some((relation) => relation.kind === kind))
    const lines = relations.map(({ key, kind, local: other, from, to, isOwner }) => {
      const ends = `, { fields: [${writer.member(local(model), from)}], references: [${writer.member(other, to)}] }`
      return `${indent}${writer.property(key)}: ${kind}(${other}${isOwner ? ends : ''}),\n`
    })
    const call = importName(source, 'drizzle-orm', 'relations')
    return `export const ${variable} = ${call}(${local(model)}, ({ ${helpers.join(', ')} }) => ({\n${lines.join('')}}))${semicolon}`
  })
}

function relationsOf(model: Model, created: readonly Model[], writer: Writer): Relation[] {
  const { models, config } = writer.context
  const references = (of: Model) =>
    Object.entries(of.fields).flatMap(([from, each]) => {
      const target = referredBy(each, models)
      const local = target && writer.tableName(target)
      return local ? [{ field: each.field, unique: each.unique, from, target, local, to: columnOf(target, each.references?.field) }] : []
    })
  const own = references(model).map(({ field, ...each }, _, all): Relation => {
    const isOnly = all.filter(({ target }) => target === each.target).length === 1
    const singular = config.usePlural ? each.target.name.replace(/s$/, '') : each.target.name
    return { ...each, key: isOnly ? singular : field.replace(/Id$/, ''), kind: 'one', isOwner: true }
  })
  const pointing = created.flatMap((target): Relation[] => {
    const [only, second] = references(target).filter((each) => each.target === model)
    // Drizzle cannot tell two relations from one table apart by themselves.
    if (!only || second || target === model) return []
    const key = `${target.name}${config.usePlural || only.unique ? '' : 's'}`
    const local = writer.tableName(target) ?? target.name
    return [{ key, kind: only.unique ? 'one' : 'many', target, local, from: only.to, to: only.from, isOwner: false }]
  })
  const relations = [...own, ...pointing]
  // Drizzle wants one name for each relation and column.
  const isFree = ({ key }: Relation, at: number) =>
    !Object.hasOwn(model.fields, key) && relations.findIndex((each) => each.key === key) === at
  return relations.filter(isFree)
}
