import { drizzle } from 'drizzle-orm/pg-proxy'

export const db = drizzle(async () => ({ rows: [] }))
