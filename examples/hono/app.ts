import { authHandler, getAuthUser, initAuthConfig } from '@hono/auth-js'
import type { HttpBindings } from '@hono/node-server'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { config } from './auth.js'

const app = new Hono<{ Bindings: HttpBindings }>()
const port = Number(process.env.PORT ?? 3000)

// Only paths: the target of a request may also name a host, as in //example.com/auth/signin.
app.use(async (c, next) => (/^\/(?!\/)/.test(c.env.incoming.url ?? '') ? next() : c.body(null, 400)))
app.use(initAuthConfig(() => config))
app.use('/auth/*', authHandler())

app.get('/', async (c) => {
  const found = await getAuthUser(c)
  return c.text(found ? `Signed in as ${found.user?.email}` : 'Nobody is signed in. Open /auth/signin')
})

serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`))
