import { withReplicas } from 'drizzle-orm/sqlite-core'
import { db as primary } from './libsql.js'

export const db = withReplicas(primary, [primary])
