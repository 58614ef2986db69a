import { checking } from '../checks.js'
import { sqlite } from './dialect.js'

/** With its checks: on servers for all tables, elsewhere for those written by hand. */
export const dialect = checking(sqlite)
