import type { SqliteProxyExecutors } from 'drizzle-orm/sqlite-proxy'
import { drizzle } from 'drizzle-orm/sqlite-proxy'

declare const executors: SqliteProxyExecutors
export const db = drizzle(executors)
