/** Everything that the kit uses of the adapter's sources. */

export { findMissing } from '../../src/better-auth/check.js'
export { toSnakeCase } from '../../src/definition/snake-case.js'
export { isTable, kindsOf } from '../../src/query/internals.js'
export { dataOf } from '../../src/query/kinds.js'
