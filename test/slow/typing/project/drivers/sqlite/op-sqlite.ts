import { drizzle } from 'drizzle-orm/op-sqlite'

// The client's own package is not needed for its types.
declare const client: Parameters<typeof drizzle>[0]
export const db = drizzle(client)
