import { once } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RefreshOptions } from '../../../src/authjs/index.js'
import { AccessTokenError, refreshWith } from '../../../src/authjs/index.js'
import { AdapterConfigError } from '../../../src/query/errors.js'

interface Answer {
  status?: number
  body?: string
  headers?: Record<string, string>
}

let origin: string
let answer: Answer = {}
const requests: { method?: string | undefined; url?: string | undefined; headers: IncomingHttpHeaders; form: Record<string, string> }[] = []

const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { method, url, headers } = request
  requests.push({ method, url, headers, form: Object.fromEntries(new URLSearchParams(body)) })
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers }).end(answer.body ?? '{}')
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

async function refresh(given: Answer, options: Partial<RefreshOptions> = {}, signal = AbortSignal.timeout(30_000)) {
  answer = given
  requests.length = 0
  return refreshWith({ tokenEndpoint: `${origin}/token`, ...client, ...options })(account, { signal })
}

const failureOf = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('did not fail'),
    (error) => error,
  )

describe('a request for new tokens', () => {
  test('is a form with the refresh token, and the client in the header', async () => {
    const tokens = { access_token: 'a', expires_in: 60 }
    expect(await refresh({ body: JSON.stringify(tokens) })).toEqual(tokens)
    expect(requests).toHaveLength(1)
    const [{ method, url, headers, form }] = requests as [(typeof requests)[0]]
    expect([method, url]).toEqual(['POST', '/token'])
    expect(headers).toMatchObject({ accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' })
    expect(form).toEqual({ grant_type: 'refresh_token', ...account })
    const [scheme, credentials] = (headers.authorization as string).split(' ')
    expect(scheme).toBe('Basic')
    // Encoded as in a form, as RFC 6749 asks for.
    expect(Buffer.from(credentials as string, 'base64').toString()).toBe('app%3A+1:pass%2B+%25%26%7E%C3%BC')
  })

  test('has the client in the form, where the provider wants it there', async () => {
    await refresh({}, { clientAuthentication: 'post' })
    const { clientId: client_id, clientSecret: client_secret } = client
    expect(requests[0]?.form).toEqual({ grant_type: 'refresh_token', ...account, client_id, client_secret })
    expect(requests[0]?.headers).not.toHaveProperty('authorization')
  })

  test('has it in the header where that is named', async () => {
    await refresh({}, { clientAuthentication: 'basic' })
    expect(requests[0]?.headers).toHaveProperty('authorization')
    expect(requests[0]?.form).not.toHaveProperty('client_secret')
  })

  test('is never redirected, because that would send the secrets somewhere else', async () => {
    for (const status of [302, 307, 308]) {
      const failure = await failureOf(refresh({ status, headers: { location: `${origin}/elsewhere` } }))
      expect(failure).toMatchObject({ kind: 'unreachable', message: expect.stringContaining(`${status}`) })
      expect(requests.map(({ url }) => url)).toEqual(['/token'])
    }
  })

  test('can be aborted', async () => {
    const failure = await failureOf(refresh({}, {}, AbortSignal.abort(new Error('too late'))))
    expect(failure.message).toBe('too late')
  })
})

describe('an answer', () => {
  test.each([
    [400, { error: 'invalid_grant' }, 'revoked'],
    [401, { error: 'invalid_grant' }, 'revoked'],
    [400, { error: 'invalid_client' }, 'unreachable'],
    [400, {}, 'unreachable'],
    [503, { error: ['invalid_grant'] }, 'unreachable'],
    [200, { error: 'invalid_grant' }, 'revoked'],
    [200, { error: 'bad_refresh_token' }, 'revoked'],
    [200, { error: 'invalid_refresh_token', access_token: 'a' }, 'revoked'],
    [200, { error: 'incorrect_client_credentials' }, 'unreachable'],
    [200, { error: 'secret-token' }, 'unreachable'],
    [200, { error: 'toString' }, 'unreachable'],
    [200, { error: { code: 1 } }, 'unreachable'],
  ])('of status %i with %j is the error %s', async (status, body, kind) => {
    const failure = await failureOf(refresh({ status, body: JSON.stringify({ ...body, error_description: 'of secret-token' }) }))
    expect(failure).toBeInstanceOf(AccessTokenError)
    expect(failure.kind).toBe(kind)
    expect(failure.message).toContain(`${status}`)
    expect(failure.message).not.toContain('secret-token')
  })

  test('with a known error code names it', async () => {
    const failure = await failureOf(refresh({ status: 401, body: JSON.stringify({ error: 'invalid_client' }) }))
    expect(failure.message).toContain('invalid_client')
  })

  test('is no error because of an empty one', async () => {
    for (const error of [null, '', undefined])
      expect(await refresh({ body: JSON.stringify({ access_token: 'a', error }) })).toMatchObject({ access_token: 'a' })
  })

  test.each(['<html>', 'null'])('that is %s is empty, or an error', async (body) => {
    expect(await refresh({ body })).toEqual({})
    expect(await failureOf(refresh({ status: 502, body }))).toMatchObject({ kind: 'unreachable' })
  })
})

describe('refreshWith', () => {
  const made = (options: Partial<Record<keyof RefreshOptions, unknown>>) => () =>
    refreshWith({ ...client, tokenEndpoint: 'https://example.com/token', ...options } as RefreshOptions)

  test.each([
    'https://example.com/token',
    'https://localhost/token',
    'http://localhost:1/token',
    'http://127.0.0.1/token',
    'http://127.12.34.56:80/',
    'http://[::1]/token',
  ])('accepts the endpoint %s', (tokenEndpoint) => expect(made({ tokenEndpoint })()).toBeTypeOf('function'))

  test.each([
    'http://example.com/token',
    'http://localhost.example.com',
    'http://my-localhost/token',
    'http://127.0.0.1.example.com',
    'http://my127.0.0.1.example.com',
    'http://[::2]/token',
    'ftp://localhost/token',
    'ws://localhost/token',
    '/token',
    'localhost/token',
    '',
    undefined,
  ])('rejects the endpoint %s', (tokenEndpoint) => {
    expect(made({ tokenEndpoint })).toThrow(AdapterConfigError)
    expect(made({ tokenEndpoint })).toThrow(/^refreshWith: tokenEndpoint/)
  })

  test.each([
    [{ clientId: undefined }, 'clientId'],
    [{ clientId: '' }, 'clientId'],
    [{ clientSecret: undefined }, 'clientSecret'],
    [{ clientSecret: '' }, 'clientSecret'],
    [{ clientAuthentication: 'jwt' }, 'clientAuthentication'],
    [{ clientAuthentication: null }, 'clientAuthentication'],
  ])('rejects %j', (options, name) => {
    expect(made(options)).toThrow(AdapterConfigError)
    expect(made(options)).toThrow(name)
  })
})
