import { drizzle } from 'drizzle-orm/libsql'
import { env } from '$env/dynamic/private'

const url = env.DATABASE_URL
if (!url) throw new Error('DATABASE_URL is not set')

export const db = drizzle({ connection: { url, authToken: env.DATABASE_AUTH_TOKEN } })
