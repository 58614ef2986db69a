import { randomBytes } from 'node:crypto'
import type { Options } from './app.js'
import { bundleAssets } from './assets.js'
import { openLive } from './live.js'
import { startMail } from './mail.js'
import { listen } from './server.js'

// Only the library in use is loaded.
const libraries = {
  authjs: async () => (await import('./authjs.js')).openAuthjs,
  'better-auth': async () => (await import('./better-auth/index.js')).openBetterAuth,
}

/** Starts the demo: the application with its database, a mail server and the live view. */
export async function startDemo({ port, library = 'authjs', secret = randomBytes(32).toString('hex'), ...options }: Options) {
  const teardown: (() => unknown)[] = []
  const onStop = (close: () => unknown) => void teardown.push(close)
  const stop = async () => {
    for (const close of teardown.splice(0).reverse()) await close()
  }
  try {
    const { origin, serve, close } = await listen(port)
    onStop(close)
    const mail = await startMail()
    onStop(mail.close)
    const assets = await bundleAssets()
    const openApp = await libraries[library]()
    const { tables, operations, show, handle } = await openApp({ ...options, secret, origin, mail, assets, onStop })
    options.log(`${tables.name}: the migrations are applied.`)
    const live = openLive(tables, operations, show)
    onStop(live.close)
    serve(handle, live.watch)
    return { origin, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
