import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

const scope = 'openid offline_access'

// Generated once, because it takes long and blocks the process.
const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })

/** Starts an OAuth 2.0 server with refresh token rotation: each refresh token works once, and a second use revokes the grant. */
export async function startAuthorizationServer() {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  // With characters that must be encoded in a header.
  const client = { client_id: 'app: 1', client_secret: `${randomBytes(16).toString('hex')}+ %&~` }
  const provider = new Provider(issuer, {
    clients: [{ ...client, redirect_uris: ['http://localhost/callback'], grant_types: ['authorization_code', 'refresh_token'] }],
    jwks: { keys: [key] },
    rotateRefreshToken: true,
    cookies: { keys: [randomBytes(32).toString('hex')] },
    ttl: { AccessToken: 3_600, IdToken: 3_600, RefreshToken: 3_600, Grant: 3_600 },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  })
  const requests: string[] = []
  let before: () => Promise<unknown> = async () => {}
  const answer = provider.callback()
  server.on('request', async (request, response) => {
    requests.push(request.url ?? '')
    await before()
    answer(request, response)
  })
  return {
    tokenEndpoint: `${issuer}/token`,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    requests,
    /** Sets a function that runs before each answer. */
    beforeAnswer(run: () => Promise<unknown>) {
      before = run
    },
    /** Issues a refresh token, as after a sign-in. */
    async issue(): Promise<string> {
      const accountId = randomBytes(8).toString('hex')
      const grant = new provider.Grant({ accountId, clientId: client.client_id })
      grant.addOIDCScope(scope)
      const grantId = await grant.save()
      const found = await provider.Client.find(client.client_id)
      const token = new provider.RefreshToken({ accountId, client: found, grantId, scope, gty: 'authorization_code' } as never)
      return token.save()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
