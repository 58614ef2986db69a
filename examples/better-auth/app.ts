import { serve } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { auth } from './auth.js'
import { accountPage, signInPage } from './pages.js'

const app = new Hono()
const port = Number(process.env.PORT ?? 3000)

// Only paths: the target of a request may also name a host, as in //example.com/api/auth/ok.
// On Node.js, Hono has the target in `env`. Elsewhere, it is parsed before the app sees it.
app.use(async (c, next) => (/^\/(?!\/)/.test(Object(c.env).incoming?.url ?? c.req.path) ? next() : c.body(null, 400)))
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw))

app.get('/client.js', serveStatic({ root: 'public' }))

app.get('/', async (c) => {
  const { headers } = c.req.raw
  const session = await auth.api.getSession({ headers })
  if (!session) return c.html(signInPage())
  const { user } = session
  const [accounts, passkeys, organizations, invitations] = await Promise.all([
    auth.api.listUserAccounts({ headers }),
    auth.api.listPasskeys({ headers }),
    auth.api.listOrganizations({ headers }),
    // Better Auth shows invitations only to users whose address is verified.
    user.emailVerified ? auth.api.listUserInvitations({ headers }) : [],
  ])
  const teams = organizations.map(async ({ id, name }) => {
    const { members } = await auth.api.listMembers({ headers, query: { organizationId: id } })
    return { id, name, members: members.map((member) => ({ email: member.user.email, role: member.role })) }
  })
  return c.html(
    accountPage({
      email: user.email,
      providers: accounts.map(({ providerId }) => providerId),
      passkeys: passkeys.map(({ name }) => name ?? 'Passkey'),
      organizations: await Promise.all(teams),
      invitations: invitations.filter(({ status }) => status === 'pending'),
    }),
  )
})

serve({ fetch: app.fetch, port }, () => console.log(`http://localhost:${port}`))
