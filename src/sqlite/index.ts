export { sqlite as dialect } from './dialect.js'
export { defineTables } from './tables.js'
