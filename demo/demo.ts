import { randomBytes } from 'node:crypto'
import { bundleAssets } from './assets.js'
import { openAuth } from './auth.js'
import { openStore } from './database/index.js'
import { startIdentity } from './identity.js'
import { openLive } from './live.js'
import { startMail } from './mail.js'
import { withOperationLog } from './operations.js'
import { openProtection } from './protection.js'
import { openRoutes } from './routes.js'
import { listen } from './server.js'
import { openTokens } from './tokens.js'

export interface Options {
  port: number
  databaseUrl: string
  strategy: 'database' | 'jwt'
  secret?: string | undefined
  /** Hashes session tokens and encrypts OAuth tokens. */
  protect?: boolean
  log(line: string): void
}

/** Starts the demo: the application, its database, a mail server and an OpenID provider. */
export async function startDemo({ port, databaseUrl, strategy, secret = randomBytes(32).toString('hex'), protect, log }: Options) {
  const teardown: (() => unknown)[] = []
  const stop = async () => {
    for (const close of teardown.splice(0).reverse()) await close()
  }
  try {
    const server = await listen(port)
    teardown.push(server.close)
    const protection = protect ? openProtection(`secrets at rest of the demo: ${secret}`) : undefined
    const store = await openStore(databaseUrl, protection?.secrets)
    teardown.push(store.close)
    await store.migrate()
    log(`${store.name}: the migrations are applied.`)
    const mail = await startMail()
    teardown.push(mail.close)
    const identity = await startIdentity(server.origin)
    teardown.push(identity.close)

    const { adapter, operations } = withOperationLog(protection?.withRememberedTokens(store.adapter) ?? store.adapter)
    const auth = openAuth({
      origin: server.origin,
      adapter,
      strategy,
      secret,
      mailUrl: mail.url,
      issuer: identity.issuer,
      client: identity.client,
      log,
    })
    const tokens = openTokens(adapter, identity.issuer, identity.client)
    const live = openLive(store, operations, protection?.show)
    teardown.push(live.close)
    const assets = await bundleAssets()
    server.serve(openRoutes({ store, adapter, auth, tokens, mails: mail.mails, assets, strategy, log }), live.watch)
    return { origin: server.origin, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
