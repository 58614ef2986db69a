import { defineTables } from '../../src/sqlite/index.js'

/** Tables whose names have no capitals. */
export const snakeCaseTables = defineTables({ casing: 'snake_case' })
