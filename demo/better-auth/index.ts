import type { App, Surroundings } from '../app.js'
import { openAuth } from './auth.js'
import { openStore } from './database.js'
import { openRoutes } from './routes.js'

/** Opens the application with Better Auth. */
export async function openBetterAuth({ origin, databaseUrl, secret, mail, assets, log, onStop }: Surroundings): Promise<App> {
  const store = await openStore(databaseUrl)
  onStop(store.close)
  await store.migrate()
  const auth = openAuth({ origin, database: store.database, secret, mailUrl: mail.url })
  const handle = openRoutes({ auth, database: store.name, mails: mail.mails, assets, log })
  return { tables: store, operations: store.operations, handle }
}
