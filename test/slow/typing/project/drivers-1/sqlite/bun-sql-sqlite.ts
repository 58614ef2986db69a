import { SQL } from 'bun'
import { drizzle } from 'drizzle-orm/bun-sql/sqlite'

export const db = drizzle({ client: new SQL('') })
