import { Client } from '@planetscale/database'
import { drizzle } from 'drizzle-orm/planetscale-serverless'

export const db = drizzle({ client: new Client({ url: '' }) })
