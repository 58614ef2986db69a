import { drizzle } from 'drizzle-orm/netlify-db'

export const db = drizzle()
