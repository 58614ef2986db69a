import { kindsOf } from '../../query/internals.js'
import { literal, templateText } from './names.js'

/** An expression of SQL that a schema file cannot repeat. */
export class UnwritableError extends Error {}

/** An expression of Drizzle's `sql` as code. `columnText` is the code of a column in it. */
export function sqlText(expression: unknown, columnText: (column: { name: string }) => string): string {
  return `sql\`${chunksText(expression, columnText)}\``
}

function chunksText(expression: unknown, columnText: (column: { name: string }) => string): string {
  const { queryChunks = [] } = expression as { queryChunks?: unknown[] }
  return queryChunks.map((chunk) => chunkText(chunk, columnText)).join('')
}

function chunkText(chunk: unknown, columnText: (column: { name: string }) => string): string {
  const kinds = kindsOf(chunk)
  const { value } = Object(chunk) as { value?: unknown }
  if (chunk === undefined) return ''
  if (kinds.includes('StringChunk')) return templateText([value].flat().join(''))
  if (kinds.includes('SQL')) return chunksText(chunk, columnText)
  if (kinds.includes('Column')) return `\${${columnText(chunk as { name: string })}}`
  if (kinds.includes('Param')) return chunkText(value, columnText)
  if (chunk === null || ['string', 'number', 'boolean', 'bigint'].includes(typeof chunk)) return `\${${literal(chunk)}}`
  throw new UnwritableError(`an expression with ${kinds[0] ?? typeof chunk}`)
}

// What a function may mention and still mean the same in another file.
const globals = new Set('new return Date now crypto randomUUID Math null true false undefined void Number String BigInt'.split(' '))

/** A function without parameters as code, if it depends on nothing around it. */
export function functionText(run: unknown): string {
  const code = String(run).replace(/\/\*.*?\*\//gs, '')
  const names = code.replace(/'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"/g, '').match(/(?<![.\w$])[A-Za-z_$][\w$]*/g) ?? []
  if (!/^\(\)\s*=>/.test(code.trim()) || !names.every((name) => globals.has(name))) throw new UnwritableError('a function')
  // Loaders of TypeScript write it in their own ways.
  return code
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/^\(\) ?=> ?/, '() => ')
    .replace(/new Date$/, 'new Date()')
}
