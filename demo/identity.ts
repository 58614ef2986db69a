import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Configuration, default as OpenIdProvider } from 'oidc-provider'
import { chooser, chooserEnded } from './pages/chooser.js'
import { isPath } from './server.js'

const people = ['Ada', 'Bob'].map((name) => ({ sub: name.toLowerCase(), name, email: `${name.toLowerCase()}@example.com` }))

const page = { 'content-type': 'text/html; charset=utf-8' }

/** Hides two warnings of oidc-provider that do not matter here: it works on Node.js 20, and a demo may lose its sessions. */
async function withoutWarnings<Value>(make: () => Value): Promise<Awaited<Value>> {
  const { warn } = console
  console.warn = (...args) => /^oidc-provider WARNING: (Unsupported runtime|a quick start)/.test(args[0]) || warn(...args)
  try {
    return await make()
  } finally {
    console.warn = warn
  }
}

/** Starts an OpenID provider for the application at this origin. Users sign in as Ada or Bob, without a password. */
export async function startIdentity(origin: string, callback = '/auth/callback/oidc') {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const client = { client_id: 'demo', client_secret: randomBytes(32).toString('hex') }

  const configuration: Configuration = {
    clients: [{ ...client, redirect_uris: [`${origin}${callback}`], grant_types: ['authorization_code', 'refresh_token'] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    jwks: { keys: [generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })] },
    ttl: { Interaction: 600, Session: 600, Grant: 86_400, AccessToken: 3600, IdToken: 3600, RefreshToken: 86_400 },
    // Every sign-in gets a refresh token, with rotation: each works once, and a second use revokes the grant.
    issueRefreshToken: async () => true,
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    cookies: { keys: [randomBytes(32).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, interaction) => `/choose/${interaction.uid}` },
    findAccount(_, sub) {
      const person = people.find((each) => each.sub === sub)
      return person && { accountId: sub, claims: () => ({ ...person, email_verified: true }) }
    },
    // The only client is the demo itself, so users are not asked for consent.
    async loadExistingGrant({ oidc }) {
      const grant = new provider.Grant({ clientId: oidc.client?.clientId ?? '', accountId: oidc.session?.accountId ?? '' })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
  }
  const { default: Provider } = await withoutWarnings(() => import('oidc-provider'))
  const provider: OpenIdProvider = await withoutWarnings(() => new Provider(issuer, configuration))

  const answer = provider.callback()
  server.on('request', async (request, response) => {
    if (!isPath(request.url)) return void response.writeHead(400).end()
    const [, first, , sub] = (request.url ?? '').split('/')
    try {
      if (first !== 'choose') await answer(request, response)
      else if (sub === 'nobody') await provider.interactionFinished(request, response, { error: 'access_denied' })
      else if (sub) await provider.interactionFinished(request, response, { login: { accountId: sub } })
      else response.writeHead(200, page).end(chooser(origin, request.url ?? '', people))
    } catch {
      if (!response.headersSent) response.writeHead(400, page)
      response.end(chooserEnded(origin))
    }
  })
  return {
    issuer,
    client,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
