import type { ArrayExpression, ArrowFunctionExpression, CallExpression, FunctionExpression, Node, ObjectExpression } from '@babel/types'
import type { Declared, Source } from '../code/source.js'
import { nameOf, unwrap } from '../code/source.js'
import type { Existing, SchemaConfig } from './models.js'

type Callback = ArrowFunctionExpression | FunctionExpression

/** The code of a table: `create('name', { columns }, (table) => [extra])`. */
interface TableCode {
  readonly call: CallExpression
  readonly columns: ObjectExpression
  /** The function that returns the columns, if there is one. */
  readonly callback: Callback | undefined
  /** The function that returns indexes and constraints, and what it returns. */
  readonly extra: { readonly callback: Callback; readonly list: ObjectExpression | ArrayExpression } | undefined
}

/** A declared name, with the code of its table if that can be edited. */
export interface Located extends Declared {
  readonly code?: TableCode | undefined
}

/** What the files declare. The nearest file comes first. */
export const locate = (reachable: readonly Source[]): Located[] =>
  reachable.flatMap(({ declared }) => declared).map((each) => ({ ...each, code: tableCode(each) }))

function tableCode({ source, init }: Declared): TableCode | undefined {
  let node = unwrap(init)
  while (node?.type === 'CallExpression') {
    const [name, given, extra] = node.arguments
    const callback = callbackIn(given)
    const columns = callback ? returned(callback) : unwrap(given)
    const isTable = name?.type !== 'SpreadElement' && !/relations|view/i.test(source.textOf(node.callee))
    if (columns?.type === 'ObjectExpression' && isTable) {
      const configure = callbackIn(extra)
      const list = configure && returned(configure)
      const isList = list?.type === 'ObjectExpression' || list?.type === 'ArrayExpression'
      return { call: node, columns, callback, extra: configure && isList ? { callback: configure, list } : undefined }
    }
    // Methods of the table, as in `pgTable(…).enableRLS()`.
    node = node.callee.type === 'MemberExpression' ? unwrap(node.callee.object) : undefined
  }
  return undefined
}

function callbackIn(node: Node | undefined): Callback | undefined {
  const inner = unwrap(node)
  return inner?.type === 'ArrowFunctionExpression' || inner?.type === 'FunctionExpression' ? inner : undefined
}

function returned({ body }: Callback): Node | null | undefined {
  const last = body.type === 'BlockStatement' ? body.body.at(-1) : undefined
  return unwrap(last?.type === 'ReturnStatement' ? last.argument : body)
}

/** The columns that the code of a table names, with their values. */
export const columnsOf = ({ columns }: TableCode): Map<string, Node> =>
  new Map(columns.properties.flatMap((each) => (each.type === 'ObjectProperty' && !each.computed ? [[nameOf(each.key), each.value]] : [])))

/** The code of a table of the app, or at least the declaration of its name. */
export function findTable(all: readonly Located[], name: string, { table, columns, ...existing }: Existing, { schema }: SchemaConfig) {
  const names = new Set([name, ...Object.keys(schema).filter((each) => schema[each] === table)])
  const isNamed = ({ exports }: Located) => exports.some((each) => names.has(each))
  const rate = (located: Located) => {
    const keys = located.code && [...columnsOf(located.code).keys()]
    if (!located.code || !keys || keys.some((key) => !Object.hasOwn(columns, key))) return 0
    const written = unwrap(located.code.call.arguments[0])
    const given = written?.type === 'StringLiteral' ? written.value : ''
    // The app's own function may add a prefix to the name.
    const hasName = given !== '' && (given === existing.name || existing.name.endsWith(`_${given}`))
    return (isNamed(located) ? 4 : 0) + (hasName ? 2 : 0) + (keys.length === Object.keys(columns).length ? 1 : 0)
  }
  const [best] = all.map((located) => ({ located, rating: rate(located) })).sort((one, other) => other.rating - one.rating)
  return best && best.rating > 1 ? best.located : all.find((each) => isNamed(each) && !each.code)
}
