import type { App, Surroundings } from './app.js'
import { openAuth } from './auth.js'
import { openStore } from './database/index.js'
import { startIdentity } from './identity.js'
import { withOperationLog } from './operations.js'
import { openProtection } from './protection.js'
import { openRoutes } from './routes.js'
import { openTokens } from './tokens.js'

/** Opens the application with Auth.js. */
export async function openAuthjs({
  origin,
  databaseUrl,
  strategy,
  secret,
  protect,
  mail,
  assets,
  log,
  onStop,
}: Surroundings): Promise<App> {
  const protection = protect ? openProtection(`secrets at rest of the demo: ${secret}`) : undefined
  const store = await openStore(databaseUrl, protection?.secrets)
  onStop(store.close)
  await store.migrate()
  const { issuer, client, close } = await startIdentity(origin)
  onStop(close)

  const { adapter, operations } = withOperationLog(protection?.withRememberedTokens(store.adapter) ?? store.adapter)
  const auth = openAuth({ origin, adapter, strategy, secret, mailUrl: mail.url, issuer, client, log })
  const tokens = openTokens(adapter, issuer, client)
  const handle = openRoutes({ store, adapter, auth, tokens, mails: mail.mails, assets, strategy, log })
  return { tables: store, operations, show: protection?.show, handle }
}
