import type { D1Database } from '@cloudflare/workers-types'
import { drizzle } from 'drizzle-orm/d1'

declare const binding: D1Database
export const db = drizzle(binding)
