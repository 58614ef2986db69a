import { defineConfig } from 'drizzle-kit'

// drizzle-kit only writes the SQL. Wrangler applies it.
export default defineConfig({ dialect: 'sqlite', schema: './schema.ts', out: './migrations' })
