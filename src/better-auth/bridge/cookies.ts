/** A session cookie of Auth.js, reassembled from chunks. */
export interface OldCookie {
  /** The name with its prefix, without the number of a chunk. */
  name: string
  value: string
}

const defaultNames = ['authjs.session-token', 'next-auth.session-token']
/** Browsers accept such names from HTTPS only. */
const securePrefixes = ['__Secure-', '__Host-']

/** In seconds. Longer ones are an error in Better Auth, because browsers shorten them. */
export const longestCookie = 400 * 24 * 60 * 60

// Auth.js splits after 3,936 characters. Eight chunks are more than servers accept in a header by default.
const mostChunks = 8
const longestValue = 4_096

/** The possible names of a session cookie of Auth.js. `isSecure` leaves out those that a page without HTTPS can set. */
export function oldNames(cookieName: string | undefined, isSecure: boolean): string[] {
  const bases = cookieName === undefined ? defaultNames : [cookieName.replace(/^__(Secure|Host)-/, '')]
  const prefixes = isSecure ? securePrefixes : [...securePrefixes, '']
  return bases.flatMap((base) => prefixes.map((prefix) => prefix + base))
}

/** Returns the cookies of a Cookie header, as they were sent. The first of a name counts, as in Auth.js and Better Auth. */
export function parseCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>()
  for (const pair of header.split(';')) {
    const [name = '', ...rest] = pair.split('=')
    if (rest.length > 0 && !cookies.has(name.trim())) cookies.set(name.trim(), rest.join('=').trim())
  }
  return cookies
}

/** Returns the session cookies of Auth.js. Those with too many or too long chunks are left out. */
export function readOldCookies(cookies: ReadonlyMap<string, string>, names: readonly string[]): OldCookie[] {
  return names.flatMap((name) => {
    const values = cookies.has(name) ? [cookies.get(name) as string] : chunksOf(cookies, name)
    const isBounded = values.length <= mostChunks && values.every((value) => value.length <= longestValue)
    const value = isBounded ? decode(values.join('')) : ''
    return value === '' ? [] : [{ name, value }]
  })
}

/** Returns the names of all cookies that belong to a session of Auth.js, with the chunks that it can have. */
export function oldCookieNames(cookies: ReadonlyMap<string, string>, names: readonly string[]): string[] {
  return [...cookies.keys()].filter((name) => names.includes(name) || names.includes(name.replace(/\.[0-7]$/, '')))
}

function chunksOf(cookies: ReadonlyMap<string, string>, name: string): string[] {
  const values: string[] = []
  for (let value = cookies.get(`${name}.0`); value !== undefined; value = cookies.get(`${name}.${values.length}`)) values.push(value)
  return values
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return ''
  }
}
