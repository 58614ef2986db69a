import { withReplicas } from 'drizzle-orm/mysql-core'
import { db as primary } from './mysql2.js'

export const db = withReplicas(primary, [primary])
