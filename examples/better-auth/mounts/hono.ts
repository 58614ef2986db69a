import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { auth } from '../auth.js'

const app = new Hono()
const port = Number(process.env.PORT ?? 3000)

// Only paths: the target of a request may also name a host, as in //example.com/api/auth/ok.
// On Node.js, Hono has the target in `env`. Elsewhere, it is parsed before the app sees it.
app.use(async (c, next) => (/^\/(?!\/)/.test(Object(c.env).incoming?.url ?? c.req.path) ? next() : c.body(null, 400)))
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw))

serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`))
