import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RefreshOptions } from '../../../src/authjs/index.js'
import { AccessTokenError, refreshWith } from '../../../src/authjs/index.js'

interface Answer {
  status?: number
  body?: unknown
  headers?: Record<string, string>
}

let origin: string
let answer: Answer = {}
const requests: { url?: string | undefined; headers: IncomingHttpHeaders; form: Record<string, string> }[] = []

const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  requests.push({ url: request.url, headers: request.headers, form: Object.fromEntries(new URLSearchParams(body)) })
  response.writeHead(answer.status ?? 200, answer.headers).end(JSON.stringify(answer.body ?? {}))
})
beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

// With characters that must be encoded in a header.
const client = { clientId: 'app: 1', clientSecret: 'pass+ %&~ü' }
const account = { refresh_token: 'r1 &=+ü' }

async function refresh(given: Answer, options: Partial<RefreshOptions> = {}) {
  answer = given
  requests.length = 0
  const signal = AbortSignal.timeout(30_000)
  return refreshWith({ tokenEndpoint: `${origin}/token`, ...client, ...options })(account, { signal }).catch((error) => error)
}

describe('the request', () => {
  test('has the refresh token in a form, and the client in the header Authorization', async () => {
    const tokens = { access_token: 'a', expires_in: 60 }
    expect(await refresh({ body: tokens })).toEqual(tokens)
    const [{ headers, form } = expect.fail('nothing was sent')] = requests
    expect(headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
    expect(form).toEqual({ grant_type: 'refresh_token', ...account })
    const [scheme, credentials] = (headers.authorization as string).split(' ')
    expect(scheme).toBe('Basic')
    // Encoded as in a form, as RFC 6749 requires.
    expect(Buffer.from(credentials as string, 'base64').toString()).toBe('app%3A+1:pass%2B+%25%26%7E%C3%BC')
  })

  test('has the client in the form with clientAuthentication post', async () => {
    await refresh({}, { clientAuthentication: 'post' })
    const { clientId: client_id, clientSecret: client_secret } = client
    expect(requests[0]?.form).toEqual({ grant_type: 'refresh_token', ...account, client_id, client_secret })
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('does not follow redirects, which would send the secrets somewhere else', async () => {
    const failure = await refresh({ status: 307, headers: { location: `${origin}/elsewhere` } })
    expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining('307') })
    expect(requests.map(({ url }) => url)).toEqual(['/token'])
  })
})

test.each([
  [400, { error: 'invalid_grant' }, 'revoked'],
  [400, { error: 'invalid_client' }, 'unreachable'],
  [503, {}, 'unreachable'],
  [502, null, 'unreachable'],
  // Some providers send errors with the status 200.
  [200, { error: 'bad_refresh_token' }, 'revoked'],
  [200, { error: 'secret-token' }, 'unreachable'],
  [200, { error: { code: 1 } }, 'unreachable'],
])('an answer of status %i with %j is the error %s, which contains no value', async (status, body, kind) => {
  const failure = await refresh({ status, body: body && { ...body, error_description: 'of secret-token' } })
  expect(failure).toBeInstanceOf(AccessTokenError)
  expect(failure).toMatchObject({ kind, message: expect.stringContaining(`${status}`) })
  expect(failure.message).not.toContain('secret-token')
})

describe('refreshWith', () => {
  const create = (options: Partial<Record<keyof RefreshOptions, unknown>>) => () =>
    refreshWith({ ...client, tokenEndpoint: 'https://example.com/token', ...options } as RefreshOptions)

  test.each(['https://example.com/token', 'http://localhost:1/token', 'http://127.0.0.1/token', 'http://[::1]/token'])(
    'accepts the endpoint %s',
    (tokenEndpoint) => expect(create({ tokenEndpoint })).not.toThrow(),
  )

  test.each(['http://example.com/token', 'http://localhost.example.com', 'http://127.0.0.1.example.com', '/token', undefined])(
    'rejects the endpoint %s',
    (tokenEndpoint) => expect(create({ tokenEndpoint })).toThrow(/^refreshWith: tokenEndpoint/),
  )

  test.each([
    ['clientId', { clientId: undefined }],
    ['clientSecret', { clientSecret: '' }],
  ])('rejects a wrong %s', (name, options) => expect(create(options)).toThrow(name))
})
