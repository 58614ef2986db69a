import { defineConfig } from 'drizzle-kit'
import { env } from './env.js'

export default defineConfig({
  dialect: 'sqlite',
  schema: './auth-schema.ts',
  out: './migrations',
  dbCredentials: { url: env('DATABASE_URL') },
})
