import { drizzle } from 'drizzle-orm/node-mssql'

export const db = drizzle('')
