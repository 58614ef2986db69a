import type { DurableObjectStorage } from '@cloudflare/workers-types'
import { drizzle } from 'drizzle-orm/durable-sqlite'

declare const storage: DurableObjectStorage
export const db = drizzle(storage)
