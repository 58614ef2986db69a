import { withReplicas } from 'drizzle-orm/pg-core'
import { db as primary } from './postgres-js.js'

export const db = withReplicas(primary, [primary])
