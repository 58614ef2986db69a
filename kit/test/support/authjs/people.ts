import type { DialectName } from '../../../../test/support/dialects.js'

/** An app on Auth.js with every kind of row. Names are in double quotes, which become backticks on MySQL. */

const day = 86_400_000
export const now = Date.now()

const dates: Record<DialectName, (time: number) => string> = {
  sqlite: (time) => String(time),
  pg: (time) => `'${new Date(time).toISOString().replace('T', ' ').replace('Z', '')}'`,
  mysql: (time) => `'${new Date(time).toISOString().replace('T', ' ').replace('Z', '')}'`,
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const objectId = '6f1d3a52-0c4e-4c58-9a3b-1f2e3d4c5b6a'

/** An ID token of Microsoft. */
export const idToken = `${base64url({ alg: 'none' })}.${base64url({ sub: 'pairwise', name: 'Zoë "oid":"x"', oid: objectId })}.c2lnbmF0dXJl`

export const tokens = {
  ada: 'c6a0d0a4-6f0f-4a44-9d3b-3a1c5d1f1f01',
  bob: `s1.${'A'.repeat(43)}`,
  zoe: 'c6a0d0a4-6f0f-4a44-9d3b-3a1c5d1f1f03',
}

export const ends = { ada: now + 30 * day, bob: now + day, zoe: now - day }

type Row = Record<string, string | number | boolean | null | Date>

export interface People {
  user: Row[]
  account: Row[]
  session: Row[]
  verificationToken: Row[]
  authenticator: Row[]
}

export const people: People = {
  user: [
    {
      id: 'u-ada',
      name: 'Ada',
      email: 'Ada@Example.com',
      emailVerified: new Date('2025-05-05T05:05:05.055Z'),
      image: 'https://a.test/ada.png',
    },
    { id: 'u-bob', name: null, email: 'bob@example.com', emailVerified: null, image: null },
    { id: 'u-zoe', name: "Zoë 'O\\Neil'", email: 'zoë@example.com', emailVerified: null, image: null },
  ],
  account: [
    account('u-ada', 'github', '4711', {
      access_token: 'gho_1',
      refresh_token: 'ghr_1',
      expires_at: 1_900_000_000,
      scope: 'read:user user:email',
      id_token: null,
    }),
    account('u-bob', 'google', '10', { access_token: 'e1.k.AAAA', scope: 'openid,email' }),
    account('u-zoe', 'azure-ad', 'pairwise', { id_token: idToken, scope: 'openid profile email' }),
    { ...account('u-ada', 'passkey', 'pk-ada', {}), type: 'webauthn' },
  ],
  session: [
    { sessionToken: tokens.ada, userId: 'u-ada', expires: new Date(ends.ada) },
    { sessionToken: tokens.bob, userId: 'u-bob', expires: new Date(ends.bob) },
    { sessionToken: tokens.zoe, userId: 'u-zoe', expires: new Date(ends.zoe) },
  ],
  verificationToken: [{ identifier: 'bob@example.com', token: 'hashed', expires: new Date(now + day) }],
  authenticator: [
    {
      credentialID: 'ab+/cd==',
      userId: 'u-ada',
      providerAccountId: 'pk-ada',
      credentialPublicKey: 'pQEC+/==',
      counter: 7,
      credentialDeviceType: 'multiDevice',
      credentialBackedUp: true,
      transports: 'internal,hybrid',
    },
  ],
}

function account(userId: string, provider: string, providerAccountId: string, rest: Row): Row {
  return { userId, type: 'oidc', provider, providerAccountId, ...rest }
}

/** The statements that store rows in tables with these names. `column` names the columns of a field. */
export function inserts(
  dialect: DialectName,
  rows: Partial<People>,
  table: (name: string) => string = (name) => name,
  extra: (name: string) => Row = () => ({}),
): string[] {
  const literal = (value: Row[string]) => {
    if (value === null) return 'null'
    if (value instanceof Date) return dates[dialect](value.getTime())
    if (typeof value === 'boolean') return dialect === 'sqlite' ? String(Number(value)) : String(value)
    return typeof value === 'number'
      ? String(value)
      : `'${(dialect === 'mysql' ? value.replaceAll('\\', '\\\\') : value).replaceAll("'", "''")}'`
  }
  const quoted = (name: string) => (dialect === 'mysql' ? `\`${name}\`` : `"${name}"`)
  return Object.entries(rows).flatMap(([name, all]) =>
    all.map((given) => {
      const row = { ...given, ...extra(name) }
      return `insert into ${quoted(table(name))} (${Object.keys(row).map(quoted).join(', ')}) values (${Object.values(row).map(literal).join(', ')})`
    }),
  )
}
