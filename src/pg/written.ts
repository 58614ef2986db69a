import { checking } from '../checks.js'
import { pg } from './dialect.js'

/** With its checks: on servers for all tables, elsewhere for those written by hand. */
export const dialect = checking(pg)
