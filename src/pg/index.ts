export { defineTables } from './tables.js'
