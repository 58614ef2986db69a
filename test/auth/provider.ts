import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Starts a stub OAuth 2.0 provider. It signs everybody in without a question, and its token and profile endpoints return what a test has
 * set with `answer`.
 */
export async function startProvider() {
  const answers: { token: object; profile: unknown } = { token: {}, profile: {} }

  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost')
    const json = (answer: unknown) => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
    if (pathname === '/authorize') {
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.searchParams.set('code', 'code')
      if (searchParams.has('state')) back.searchParams.set('state', searchParams.get('state') ?? '')
      response.writeHead(302, { location: back.href }).end()
    } else if (pathname === '/token') json({ access_token: 'access', token_type: 'Bearer', ...answers.token })
    else json(answers.profile)
  }).listen(0, 'localhost')
  await once(server, 'listening')
  const url = `http://localhost:${(server.address() as AddressInfo).port}`

  return {
    /** Options that make a built-in provider of Auth.js use this server. */
    endpoints: {
      clientId: 'client',
      clientSecret: 'secret',
      authorization: { url: `${url}/authorize` },
      token: { url: `${url}/token` },
      userinfo: { url: `${url}/profile` },
    },
    /** Sets the responses of the profile and the token endpoint. */
    answer(profile: unknown, token: object = {}) {
      Object.assign(answers, { profile, token })
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export type Provider = Awaited<ReturnType<typeof startProvider>>
