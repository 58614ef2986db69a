import { defineConfig } from 'drizzle-kit'

// drizzle-kit reads .env.
const url = process.env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is not set')

export default defineConfig({
  dialect: 'turso',
  schema: './schema.ts',
  out: './migrations',
  dbCredentials: { url, authToken: process.env.DATABASE_AUTH_TOKEN },
})
