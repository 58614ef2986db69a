import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { strangeTargets } from './targets.js'

const hosts = [
  'a b',
  '[',
  '',
  ':',
  'a:b:c',
  'a:99999',
  'user@evil.example',
  'evil.example/x',
  '%',
  '\xff',
  '<>',
  'a, b',
  'localhost\r\nHost: [',
]

const headers: Record<string, string>[] = [
  { 'X-Forwarded-Proto': 'a b' },
  { 'X-Forwarded-Proto': 'javascript' },
  { 'X-Forwarded-Proto': 'http, https' },
  { 'X-Forwarded-Host': '[' },
  { 'X-Forwarded-Host': 'a b', 'X-Forwarded-Proto': '//' },
  { 'X-Forwarded-For': '[' },
  { Forwarded: 'host=[' },
  { Origin: '[' },
  { Referer: 'http://[' },
  { Cookie: '=; %; a=%E0%A4%A; authjs.session-token=%ZZ; better-auth.session_token=.' },
  { Cookie: 'a=1; '.repeat(2_000) },
  { Authorization: 'Bearer' },
  { 'Accept-Language': '*;q=x' },
  { 'Content-Length': '-1' },
  { 'Content-Length': '1e3' },
  { Upgrade: 'websocket', Connection: 'Upgrade' },
  { Expect: '100-continue' },
  { Expect: 'x' },
  { Range: 'bytes=9-1' },
  { 'If-Modified-Since': 'x', 'If-None-Match': '\xff' },
  { 'a b': 'c' },
  { Huge: 'x'.repeat(200_000) },
]

const bodies: [type: string, body: string, more?: Record<string, string>][] = [
  ['application/json', '{'],
  ['application/json', 'null'],
  ['application/json', '[]'],
  ['application/json', '{"email":{"__proto__":null},"password":[]}'],
  ['application/json', '['.repeat(50_000)],
  ['application/json; charset=x', '{}'],
  ['application/json', '\xff\xfe', { 'Content-Encoding': 'gzip' }],
  ['application/x-www-form-urlencoded', '%&%=%E0%A4%A&a[b][c]=1&csrfToken[]=1'],
  ['multipart/form-data', 'x'],
  ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data\r\n'],
  ['x', 'x'],
  [';', ''],
  ['text/plain', '5\r\nhello\r\n0\r\n\r\n', { 'Transfer-Encoding': 'chunked' }],
]

const crlf = (lines: string[]) => lines.join('\r\n')

const requestTo =
  (origin: string) =>
  (start: string, fields: Record<string, string>, body = ''): string => {
    const all = { Host: new URL(origin).host, Origin: origin, Connection: 'close', ...fields }
    return crlf([start, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), '', body])
  }

/** Requests that a browser never sends, to an app whose handler is mounted at `base`. */
function malformed(origin: string, base: string): string[] {
  const requestOf = requestTo(origin)
  const get = `GET ${base}/session HTTP/1.1`
  const post = `POST ${base}/sign-in/email HTTP/1.1`
  const targets = [
    ...strangeTargets(`${base}/ok`),
    'x',
    '',
    '/%',
    '/%ff',
    '/\\evil.example',
    '/../..//',
    'http://[',
    'http://',
    '/x%00.js',
    '/#',
  ]
  const below = [
    '/%',
    '/%E0%A4%A',
    '/callback/%ZZ?code=%',
    '?%',
    '?callbackUrl=%ZZ&callbackURL=%ZZ',
    '//',
    '/../..',
    '/%00',
    `/${'x'.repeat(9_000)}`,
  ]
  const methods = ['TRACE', 'TRACK', 'CONNECT', 'OPTIONS', 'PROPFIND', 'M-SEARCH', 'PUT', 'DELETE', 'HEAD', 'QUERY', 'FOO', 'get']
  return [
    ...['/', `${base}/ok`].flatMap((path) => [
      ...hosts.map((host) => requestOf(`GET ${path} HTTP/1.1`, { Host: host })),
      ...methods.map((method) => requestOf(`${method} ${path} HTTP/1.1`, {})),
      ...headers.map((fields) => requestOf(`GET ${path} HTTP/1.1`, fields)),
    ]),
    ...[...targets, ...below.map((target) => base + target)].map((target) => requestOf(`GET ${target} HTTP/1.1`, {})),
    ...hosts.map((host) => requestOf(post, { Host: host, 'Content-Type': 'application/json', 'Content-Length': '2' }, '{}')),
    ...bodies.flatMap(([type, body, more = {}]) =>
      [`${base}/sign-in/email`, `${base}/signin/email`, '/'].map((path) => {
        const length = more['Transfer-Encoding'] ? {} : { 'Content-Length': `${Buffer.byteLength(body, 'latin1')}` }
        return requestOf(`POST ${path} HTTP/1.1`, { 'Content-Type': type, ...length, ...more }, body)
      }),
    ),
    requestOf(post, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }, 'zz\r\n{}\r\n'),
    requestOf(post, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }, '5\r\n{}\r\n0\r\n\r\n'),
    requestOf(post, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'gzip, chunked', 'Content-Length': '2' }, '{}'),
    requestOf(`TRACE ${base}/ok HTTP/1.1`, { 'Content-Type': 'text/plain', 'Content-Length': '1' }, 'x'),
    requestOf(`GET ${base}/ok HTTP/1.1`, { 'Content-Type': 'text/plain', 'Content-Length': '1' }, 'x'),
    crlf([get, 'Connection: close', '', '']),
    crlf([`GET ${base}/session HTTP/1.0`, '', '']),
    crlf([`GET ${base}/session HTTP/9.9`, '', '']),
    crlf([`GET ${base}/session`, '', '']),
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    '\0\r\n\r\n',
  ]
}

/** Requests whose client gives up before it has an answer. */
function abandoned(origin: string, base: string): string[] {
  const requestOf = requestTo(origin)
  const post = `POST ${base}/sign-in/email HTTP/1.1`
  const json = { 'Content-Type': 'application/json' }
  return [
    'GET',
    `${post}\r\nHost: local`,
    requestOf(post, { ...json, 'Content-Length': '9' }, '{"em'),
    requestOf(`POST ${base}/signin/email HTTP/1.1`, { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '9' }, 'ema'),
    requestOf(post, { ...json, 'Transfer-Encoding': 'chunked' }, '5\r\n{"em'),
    requestOf(`GET ${base}/session HTTP/1.1`, {}),
    requestOf('GET / HTTP/1.1', {}),
    requestOf('GET / HTTP/1.1', { Connection: 'keep-alive' }).repeat(20),
  ]
}

async function open(origin: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** Sends a request, and returns the status line of the answer. It is empty if the server closes the connection. */
async function answerTo(origin: string, request: string): Promise<string> {
  const socket = await open(origin)
  let answer = ''
  const done = new Promise<true>((resolve) => {
    socket.once('close', () => resolve(true))
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text
      if (answer.includes('\r\n')) resolve(true)
    })
  })
  socket.write(request, 'latin1')
  const isDone = await Promise.race([done, setTimeout(20_000, false, { ref: false })])
  socket.destroy()
  if (!isDone) throw new Error('no answer within 20 s')
  return answer.slice(0, answer.indexOf('\r\n'))
}

/**
 * Sends malformed requests, one after the other, to an app whose handler is mounted at `base`. Throws if one of them ends the server, or
 * has an answer that is not HTTP.
 */
export async function sendMalformed(origin: string, base: string): Promise<void> {
  for (const request of malformed(origin, base)) {
    const shown = JSON.stringify(request.slice(0, 300))
    const answer = await answerTo(origin, request).catch((error: Error) => {
      throw new Error(`${shown}: ${error.message}`)
    })
    if (answer && !/^HTTP\/1\.[01] \d{3}/.test(answer)) throw new Error(`${shown}: ${answer}`)
    await assertAnswers(origin, shown)
  }
  for (const request of abandoned(origin, base))
    for (const milliseconds of [0, 50]) {
      const socket = await open(origin)
      socket.write(request, 'latin1')
      await setTimeout(milliseconds)
      socket.resetAndDestroy()
      await setTimeout(50)
      await assertAnswers(origin, `abandoned ${JSON.stringify(request.slice(0, 300))}`)
    }
}

async function assertAnswers(origin: string, after: string): Promise<void> {
  const answer = await answerTo(origin, requestTo(origin)('GET / HTTP/1.1', {})).catch((error: Error) => error.message)
  if (!/^HTTP\/1\.1 [2-4]\d\d/.test(answer)) throw new Error(`the server ended after ${after}: ${answer}`)
}
