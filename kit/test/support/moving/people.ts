import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../../../../src/models.js'

/** A user as the old app creates it, with all rows of the user. */
export interface Person {
  user: Omit<AdapterUser, 'email'> & { email?: string }
  accounts: Omit<AdapterAccount, 'userId'>[]
  sessions: Omit<AdapterSession, 'userId'>[]
  tokens: VerificationToken[]
  authenticators: Omit<AdapterAuthenticator, 'userId'>[]
}

const noRows = { accounts: [], sessions: [], tokens: [], authenticators: [] }

/** A text of this length that ends with `end`, so that truncation would be noticed. */
const long = (length: number, end: string) => 'x'.repeat(length - end.length) + end

export const people: Person[] = [
  {
    user: {
      id: 'the official adapter makes ids of its own',
      name: 'Ada',
      email: 'ada@example.com',
      emailVerified: new Date('2026-03-29T01:30:00.123Z'),
      image: `https://example.com/${long(200, 'ada.png')}`,
    },
    accounts: [
      {
        type: 'oidc',
        provider: 'google',
        providerAccountId: '1234567890',
        access_token: long(255, 'access'),
        refresh_token: long(255, 'refresh'),
        id_token: long(2000, 'id'),
        expires_at: 2 ** 31 - 1,
        scope: 'openid email profile',
        token_type: 'Bearer' as 'bearer',
        session_state: 'state',
      },
      { type: 'oauth', provider: 'github', providerAccountId: 'AbCdEf' },
    ],
    sessions: [
      { sessionToken: 'Session-of-Ada', expires: new Date('2037-12-31T23:59:59Z') },
      { sessionToken: 'expired', expires: new Date('2001-01-01T00:00:00Z') },
    ],
    tokens: [
      { identifier: 'ada@example.com', token: 'AbCdEf', expires: new Date('2026-10-25T00:30:00Z') },
      { identifier: 'nobody@example.com', token: 'token', expires: new Date('2026-03-29T01:30:00Z') },
    ],
    authenticators: [
      {
        credentialID: 'Q3JlZGVudGlhbA==',
        providerAccountId: 'Q3JlZGVudGlhbA==',
        credentialPublicKey: long(255, 'key'),
        counter: 2 ** 31 - 1,
        credentialDeviceType: 'multiDevice',
        credentialBackedUp: true,
        transports: 'internal,hybrid',
      },
      {
        credentialID: 'other',
        providerAccountId: 'other',
        credentialPublicKey: 'key',
        counter: 0,
        credentialDeviceType: 'singleDevice',
        credentialBackedUp: false,
      },
    ],
  },
  {
    user: { id: '', name: 'Zo\u00eb \u00c5str\u00f6m', email: 'zo\u00eb@example.com', emailVerified: null, image: null },
    accounts: [{ type: 'email', provider: 'nodemailer', providerAccountId: 'zo\u00eb@example.com' }],
    sessions: [{ sessionToken: 'S\u00e9ance', expires: new Date('2030-06-30T12:00:00Z') }],
    tokens: [{ identifier: 'zo\u00eb@example.com', token: 'jet\u00f3n', expires: new Date('2030-06-30T12:00:00Z') }],
    authenticators: [],
  },
  { ...noRows, user: { id: '', name: 'Grace', email: 'Grace@Example.com', emailVerified: null } },
  // Whether these two addresses are equal depends on the collation.
  { ...noRows, user: { id: '', name: 'Jo', email: 'jo@example.com', emailVerified: null } },
  { ...noRows, user: { id: '', name: 'J\u00f6', email: 'j\u00f6@example.com', emailVerified: null } },
  {
    ...noRows,
    user: { id: '', name: '\u4e2d\u6587 \u{1F600}', email: '\u{1F600}@example.com', emailVerified: null },
    sessions: [{ sessionToken: '\u{1F600}', expires: new Date('2030-01-01T00:00:00Z') }],
  },
  // Some providers return no email address.
  {
    ...noRows,
    user: { id: '', name: 'Silent', emailVerified: null },
    accounts: [{ type: 'oauth', provider: 'twitter', providerAccountId: '42' }],
  },
]
