import type { ArrayExpression, ArrowFunctionExpression, CallExpression, FunctionExpression, Node, ObjectExpression } from '@babel/types'
import type { Declared } from '../code/source.js'
import { nameOf, unwrap } from '../code/source.js'
import type { Existing } from './models.js'

type Callback = ArrowFunctionExpression | FunctionExpression

/** The code of a table: `create('name', { columns }, (table) => [extra])`. */
export interface TableCode {
  readonly call: CallExpression
  readonly columns: ObjectExpression
  /** The columns that are named, with their values. */
  readonly values: ReadonlyMap<string, Node>
  /** The parameter of the function that returns the columns. */
  readonly builder: string | undefined
  /** The function that returns indexes and constraints, and what it returns. */
  readonly extra: { readonly callback: Callback | undefined; readonly list: ObjectExpression | ArrayExpression | undefined }
}

/** The code of a table, if it can be edited. */
export function tableCode({ source, init }: Declared): TableCode | undefined {
  let node = unwrap(init)
  while (node?.type === 'CallExpression') {
    const [name, given, extra] = node.arguments
    const { callback, list: columns } = listIn(given)
    const isTable = name?.type !== 'SpreadElement' && !/relations|view/i.test(source.textOf(node.callee))
    if (columns?.type === 'ObjectExpression' && isTable)
      return { call: node, columns, values: valuesIn(columns), builder: parameterOf(callback), extra: listIn(extra) }
    // Methods of the table, as in `pgTable(…).enableRLS()`.
    node = node.callee.type === 'MemberExpression' ? unwrap(node.callee.object) : undefined
  }
  return undefined
}

/** An object or an array, and the function that returns it, if there is one. */
function listIn(given: Node | null | undefined): TableCode['extra'] {
  const node = unwrap(given)
  if (node?.type === 'ObjectExpression' || node?.type === 'ArrayExpression') return { callback: undefined, list: node }
  if (node?.type !== 'ArrowFunctionExpression' && node?.type !== 'FunctionExpression') return { callback: undefined, list: undefined }
  const last = node.body.type === 'BlockStatement' ? node.body.body.at(-1) : undefined
  return { callback: node, list: listIn(last?.type === 'ReturnStatement' ? last.argument : node.body).list }
}

/** The name of the first parameter of a function. */
export const parameterOf = (callback: Callback | undefined) => callback?.params.map(nameOf)[0] || undefined

const valuesIn = ({ properties }: ObjectExpression) =>
  new Map(properties.flatMap((each) => (each.type === 'ObjectProperty' && !each.computed ? [[nameOf(each.key), each.value]] : [])))

/** The code of a table that the app passes under one of these names, or at least a declaration of the name. */
export function findTable(all: readonly Declared[], names: readonly string[], existing: Existing): Declared | undefined {
  const isNamed = ({ exports }: Declared) => exports.some((each) => names.includes(each))
  const fitting = all.filter((each) => {
    const code = tableCode(each)
    const written = unwrap(code?.call.arguments[0])
    const given = written?.type === 'StringLiteral' ? written.value : undefined
    const isColumn = (key: string) => Object.hasOwn(existing.columns, key)
    // The app's own function may add a prefix to the name.
    const hasName = isNamed(each) ? existing.name.includes(given ?? '') : `_${existing.name}`.endsWith(`_${given}`)
    return code && hasName && [...code.values.keys()].every(isColumn)
  })
  return fitting.find(isNamed) ?? fitting[0] ?? all.find((each) => isNamed(each) && !tableCode(each))
}
