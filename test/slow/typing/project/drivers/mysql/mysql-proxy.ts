import { drizzle } from 'drizzle-orm/mysql-proxy'

export const db = drizzle(async () => ({ rows: [] }))
