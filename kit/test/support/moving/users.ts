export { usersTable } from './official-pg.js'
