import { checking } from '../checks.js'
import type { Dialect } from '../dialect.js'
import { mysql } from './dialect.js'
import { light } from './light.js'

const prepare: Dialect['prepare'] = (query, answers) => mysql.prepare(light(query), answers)

/** With its checks, and the light way through mysql2: on servers for all tables, elsewhere for those written by hand. */
export const dialect = checking({ ...mysql, prepare, once: prepare })
