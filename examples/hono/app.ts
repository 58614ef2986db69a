import { authHandler, getAuthUser, initAuthConfig } from '@hono/auth-js'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { authConfig } from './auth.js'

const app = new Hono()
const port = Number(process.env.PORT ?? 3000)

// Only paths: the target of a request may also name a host, as in //example.com/auth/signin.
// On Node.js, Hono has the target in `env`. Elsewhere, it is parsed before the app sees it.
app.use(async (c, next) => (/^\/(?!\/)/.test(Object(c.env).incoming?.url ?? c.req.path) ? next() : c.body(null, 400)))
app.use(initAuthConfig(() => authConfig))
app.use('/auth/*', authHandler())

app.get('/', async (c) => {
  const found = await getAuthUser(c)
  return c.text(found ? `Signed in as ${found.user?.email}` : 'Nobody is signed in. Open /auth/signin')
})

serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`))
