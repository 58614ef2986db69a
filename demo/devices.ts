import type { DemoAdapter } from './database/store.js'

/** An adapter for one request: a new session knows the browser and the address that it comes from. */
export function adapterFor(request: Request, adapter: DemoAdapter): DemoAdapter {
  const userAgent = request.headers.get('user-agent')?.slice(0, 500) ?? null
  // The server sets this one itself. A header that anybody can send would be anybody's address.
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

/** What people call the program that sends this header: “Chrome on Linux”. */
export function nameOf(userAgent: string | null): string {
  const [browser, system] = [browsers, systems].map((names) => names.find(([pattern]) => pattern.test(userAgent ?? ''))?.[1])
  return [browser ?? 'An unknown browser', ...(system ? [system] : [])].join(' on ')
}

/** The token of the session that the request has. */
export const tokenOf = (request: Request) => /authjs\.session-token=([^;]+)/.exec(request.headers.get('cookie') ?? '')?.[1]
