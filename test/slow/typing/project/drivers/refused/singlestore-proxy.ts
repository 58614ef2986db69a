import { drizzle } from 'drizzle-orm/singlestore-proxy'

export const db = drizzle(async () => ({ rows: [] }))
