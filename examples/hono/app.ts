import { authHandler, getAuthUser, initAuthConfig } from '@hono/auth-js'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { config } from './auth.js'

const app = new Hono()
const port = Number(process.env.PORT ?? 3000)

app.use(initAuthConfig(() => config))
app.use('/auth/*', authHandler())

app.get('/', async (c) => {
  const found = await getAuthUser(c)
  return c.text(found ? `Signed in as ${found.user?.email}` : 'Nobody is signed in. Open /auth/signin')
})

serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`))
