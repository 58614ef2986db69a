import { integer } from 'drizzle-orm/sqlite-core'

export const moment = (name: string) => integer(name, { mode: 'timestamp' })
