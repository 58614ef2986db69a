import type { DialectName } from '../../../test/support/dialects.js'

/** The tables of @auth/kysely-adapter: the names that it expects, and the indexes that its documentation advises. */
export function kyselyTables(dialect: DialectName): string[] {
  const q = dialect === 'mysql' ? '`' : '"'
  const { key, generated, date, integer } = types[dialect]
  const table = (name: string, columns: Record<string, string>, ...constraints: string[]) => {
    const lines = [...Object.entries(columns).map(([column, type]) => `${q}${column}${q} ${type}`), ...constraints]
    return `create table ${q}${name}${q} (${lines.join(', ')})`
  }
  const required = `${key} not null`
  const ofUser = `foreign key (${q}userId${q}) references ${q}User${q} (${q}id${q}) on delete cascade`
  const index = (name: string) => `create index ${q}${name}_userId_index${q} on ${q}${name}${q} (${q}userId${q})`
  const account = {
    id: generated,
    userId: required,
    type: required,
    provider: required,
    providerAccountId: required,
    refresh_token: 'text',
    access_token: 'text',
    expires_at: integer,
    expires_in: integer,
    token_type: key,
    scope: key,
    id_token: 'text',
    session_state: 'text',
  }
  return [
    table('User', { id: `${key} primary key`, name: key, email: `${required} unique`, emailVerified: date, image: key }),
    table('Account', account, `unique (${q}provider${q}, ${q}providerAccountId${q})`, ofUser),
    table('Session', { id: generated, userId: required, sessionToken: `${required} unique`, expires: `${date} not null` }, ofUser),
    table('VerificationToken', { identifier: required, token: `${required} unique`, expires: `${date} not null` }),
    index('Account'),
    index('Session'),
  ]
}

const types: Record<DialectName, Record<'key' | 'generated' | 'date' | 'integer', string>> = {
  pg: { key: 'text', generated: 'uuid primary key default gen_random_uuid()', date: 'timestamptz(3)', integer: 'bigint' },
  mysql: { key: 'varchar(255)', generated: 'char(36) primary key default (uuid())', date: 'datetime(3)', integer: 'bigint' },
  sqlite: { key: 'text', generated: 'text primary key default (lower(hex(randomblob(16))))', date: 'text', integer: 'integer' },
}
