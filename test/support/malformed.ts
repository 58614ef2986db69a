import { once } from 'node:events'
import type { Socket } from 'node:net'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { strangeTargets } from './targets.js'

/** Requests that a browser never sends, to an app whose handler is mounted at `base`: start, headers and body. */
function malformed(base: string): [start: string, headers?: Record<string, string>, body?: string][] {
  const get = `GET ${base}/ok HTTP/1.1`
  const post = `POST ${base}/sign-in/email HTTP/1.1`
  const json = { 'Content-Type': 'application/json' }
  const targets = [...strangeTargets(`${base}/ok`), 'x', '/%', '/\\evil.example', 'http://[', '/x%00.js']
  const below = ['/%E0%A4%A', '/callback/%ZZ?code=%', '?callbackUrl=%ZZ&callbackURL=%ZZ', '//', '/../..', `/${'x'.repeat(9_000)}`]
  const headers: Record<string, string>[] = [
    ...['a b', '[', '', 'a:99999', 'user@evil.example', '\xff', 'localhost\r\nHost: ['].map((host) => ({ Host: host })),
    { 'X-Forwarded-Proto': 'javascript' },
    { 'X-Forwarded-Host': '[', 'X-Forwarded-Proto': '//' },
    { Origin: '[', Referer: 'http://[' },
    { Cookie: '=; %; a=%E0%A4%A; authjs.session-token=%ZZ; better-auth.session_token=.' },
    { 'Content-Length': '-1' },
    { Upgrade: 'websocket', Connection: 'Upgrade' },
    { Expect: 'x' },
    { 'a b': 'c' },
    { Huge: 'x'.repeat(200_000) },
  ]
  const bodies: [type: string, body: string, more?: Record<string, string>][] = [
    ['application/json', '{'],
    ['application/json', 'null'],
    ['application/json', '{"email":{"__proto__":null},"password":[]}'],
    ['application/json', '\xff\xfe', { 'Content-Encoding': 'gzip' }],
    ['application/x-www-form-urlencoded', '%&%=%E0%A4%A&a[b][c]=1&csrfToken[]=1'],
    ['multipart/form-data', 'x'],
    [';', ''],
  ]
  const paths = [`${base}/sign-in/email`, `${base}/signin/email`, '/']
  return [
    ...headers.flatMap((fields) => [get, 'GET / HTTP/1.1', post].map((start): [string, Record<string, string>] => [start, fields])),
    ...['TRACE', 'CONNECT', 'OPTIONS', 'PUT', 'HEAD', 'FOO', 'get'].map((method): [string] => [`${method} ${base}/ok HTTP/1.1`]),
    ...[...targets, ...below.map((target) => base + target)].map((target): [string] => [`GET ${target} HTTP/1.1`]),
    ...bodies.flatMap(([type, body, more]) =>
      paths.map((path): [string, Record<string, string>, string] => [
        `POST ${path} HTTP/1.1`,
        { 'Content-Type': type, 'Content-Length': `${Buffer.byteLength(body, 'latin1')}`, ...more },
        body,
      ]),
    ),
    [post, { ...json, 'Transfer-Encoding': 'chunked' }, 'zz\r\n{}\r\n'],
    [get, { 'Content-Type': 'text/plain', 'Content-Length': '1' }, 'x'],
    [`GET ${base}/session HTTP/9.9`],
    ['\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ]
}

/** Requests whose client gives up before it has an answer. */
function abandoned(base: string): [start: string, headers?: Record<string, string>, body?: string][] {
  const json = { 'Content-Type': 'application/json', 'Content-Length': '9' }
  return [
    [`POST ${base}/sign-in/email HTTP/1.1`, json, '{"em'],
    [`POST ${base}/signin/email HTTP/1.1`, { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': '9' }, 'ema'],
    [`GET ${base}/session HTTP/1.1`],
    ['GET / HTTP/1.1'],
  ]
}

function textOf(origin: string, [start, headers = {}, body = '']: [string, Record<string, string>?, string?]): string {
  const fields = { Host: new URL(origin).host, Origin: origin, Connection: 'close', ...headers }
  return [start, ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), '', body].join('\r\n')
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
  const check = async (request: string, expected: RegExp, about = request) => {
    const answer = await answerTo(origin, request).catch((error: Error) => error.message)
    if (!expected.test(answer)) throw new Error(`${JSON.stringify(about.slice(0, 300))}: ${answer}`)
  }
  const assertAnswers = (after: string) => check(textOf(origin, ['GET / HTTP/1.1']), /^HTTP\/1\.1 [2-4]\d\d/, after)
  for (const request of malformed(base).map((each) => textOf(origin, each))) {
    await check(request, /^$|^HTTP\/1\.[01] \d{3}/)
    await assertAnswers(request)
  }
  for (const request of abandoned(base).map((each) => textOf(origin, each))) {
    const socket = await open(origin)
    socket.write(request, 'latin1')
    await setTimeout(50)
    socket.resetAndDestroy()
    await setTimeout(50)
    await assertAnswers(request)
  }
}
