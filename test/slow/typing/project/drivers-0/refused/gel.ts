import { drizzle } from 'drizzle-orm/gel'

export const db = drizzle('')
