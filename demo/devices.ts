import type { DemoAdapter } from './database/store.js'

/** Wraps the adapter for one request, so that a new session stores the browser and the address of the request. */
export function adapterFor(request: Request, adapter: DemoAdapter): DemoAdapter {
  const userAgent = request.headers.get('user-agent')?.slice(0, 500) ?? null
  // The server sets this header itself, because clients can send any other header with a false address.
  const ip = request.headers.get('x-client-address')
  return { ...adapter, createSession: (session) => adapter.createSession({ ...session, userAgent, ip }) }
}

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
]

/** A readable name for a user agent, such as “Chrome on Linux”. */
export function nameOf(userAgent: string | null): string {
  const [browser, system] = [browsers, systems].map((names) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1])
  return [browser ?? 'An unknown browser', ...(system ? [system] : [])].join(' on ')
}

/** The session token in the cookie of a request. The demo has no TLS, so its name has no prefix. */
export const tokenOf = (request: Request) => /(?:^|; *)authjs\.session-token=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
