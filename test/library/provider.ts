import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A provider that speaks OAuth 2.0, signs everybody in without a question, and answers what a test wants it to: as token endpoint and as
 * its API for profiles.
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
    /** What a built-in provider is given to find this one in place of its own. */
    endpoints: {
      clientId: 'client',
      clientSecret: 'secret',
      authorization: { url: `${url}/authorize` },
      token: { url: `${url}/token` },
      userinfo: { url: `${url}/profile` },
    },
    /** What it will answer from now on. */
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
