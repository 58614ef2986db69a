export { defineTables } from './tables.js'
export { dialect } from './written.js'
