import { drizzle } from 'drizzle-orm/libsql/web'

export const db = drizzle({ connection: { url: '', authToken: '' } })
