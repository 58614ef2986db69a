import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:http'

/** Request targets that are not a path, though `new URL(target, origin)` accepts most of them: the host of a link would be the stranger's. */
export const strangeTargets = (path: string): string[] => [
  `//evil.example${path}`,
  `http://evil.example${path}`,
  `HTTP://evil.example${path}`,
  `//user@evil.example:8080${path}`,
  '//',
  '*',
]

/** Sends a request with this target as it is, which `fetch` would normalize, and returns the status. A form is posted. */
export async function statusOf(
  origin: string,
  target: string,
  { form, headers = {} }: { form?: Record<string, string> | undefined; headers?: Record<string, string> } = {},
): Promise<number | undefined> {
  const type = form && { 'content-type': 'application/x-www-form-urlencoded' }
  const outgoing = request(origin, { method: form ? 'POST' : 'GET', path: target, headers: { ...headers, ...type } })
  outgoing.end(form && new URLSearchParams(form).toString())
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
  incoming.resume()
  return incoming.statusCode
}
