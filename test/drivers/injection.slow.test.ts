import { Auth } from '@auth/core'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../helpers/databases.js'
import * as tables from '../schema/mysql.js'
import { breakouts } from './texts.js'

const charsets = ['latin1', 'ascii', 'binary', 'utf8', 'big5', 'gbk', 'gb2312', 'gb18030', 'sjis', 'cp932', 'ujis', 'cp1251']
const expires = new Date('2031-01-01T00:00:00.000Z')

/** Signs in two people, and opens an adapter on a connection in this character set. Their tokens end in a question mark. */
async function openPeople(charset: string) {
  const { url, db, run, close } = await openMysql()
  onTestFinished(close)
  const client = mysql.createPool({ uri: url, connectionLimit: 2, charset })
  onTestFinished(() => client.end())
  const direct = DrizzleAdapter(db, tables)
  for (const name of ['ada', 'grace']) {
    const user = await direct.createUser({ id: name, email: `${name}@example.com`, name })
    await direct.createSession({ sessionToken: `token of ${name}?`, userId: user.id, expires })
    await direct.linkAccount({ userId: user.id, type: 'oauth', provider: 'p?', providerAccountId: `${name}?` })
    await direct.createVerificationToken({ identifier: `${name}?`, token: `${name}?`, expires })
  }
  const state = () => run('checksum table user, account, session, verificationToken, authenticator')
  return { adapter: DrizzleAdapter(drizzle({ client }), tables), client, state }
}

/** Values that would make a condition true if they were not confined to their string literal. */
const attacks = breakouts.flatMap((character) =>
  [' or 1=1 -- ', ' or 1=1 # ', '|| 1=1 -- ', ` or 1=1 or ${character}${character}=${character}`].map((rest) => character + rest),
)

test.runIf(inject('dialects').includes('mysql')).each(['latin1', 'ascii', 'binary'])(
  'a forged token signs nobody out, on a connection in %s',
  async (charset) => {
    const { adapter, state } = await openPeople(charset)
    const before = await state()
    expect(await adapter.deleteSession('\u0127 or 1=1 -- ')).toBeNull()
    expect(await state()).toEqual(before)
  },
)

describe.runIf(inject('dialects').includes('mysql')).each(charsets)('on a connection in %s', (charset) => {
  test('no token, email address or id can inject SQL', async () => {
    const { adapter, state } = await openPeople(charset)
    const before = await state()
    for (const text of attacks) {
      expect(await adapter.getSessionAndUser(text), text).toBeNull()
      expect(await adapter.getUser(text), text).toBeNull()
      expect(await adapter.getUserByEmail(text), text).toBeNull()
      expect(await adapter.getUserByAccount({ provider: text, providerAccountId: text }), text).toBeNull()
      expect(await adapter.getAuthenticator(text), text).toBeNull()
      expect(await adapter.listAuthenticatorsByUserId(text), text).toEqual([])
      expect(await adapter.updateSession({ sessionToken: text, expires: new Date(0) }), text).toBeNull()
      expect(await adapter.deleteSession(text), text).toBeNull()
      expect(await adapter.unlinkAccount({ provider: text, providerAccountId: text }), text).toBeUndefined()
      expect(await adapter.useVerificationToken({ identifier: text, token: text }), text).toBeNull()
      expect(await adapter.deleteUser(text), text).toBeNull()
      await expect(adapter.updateUser({ id: text, name: text }), text).rejects.toMatchObject({ kind: 'not-found' })
      await expect(adapter.updateUser({ id: 'nobody', name: text }), text).rejects.toMatchObject({ kind: 'not-found' })
    }
    expect(await state()).toEqual(before)
  })

  test('a character that the connection cannot encode is not replaced by a question mark', async () => {
    const { adapter, state } = await openPeople(charset)
    const before = await state()
    for (const character of ['\u0127', '\u05d0', '\u6f22', '\u{1f600}']) {
      expect(await adapter.getSessionAndUser(`token of ada${character}`)).toBeNull()
      expect(await adapter.deleteSession(`token of ada${character}`)).toBeNull()
      expect(await adapter.updateSession({ sessionToken: `token of ada${character}`, expires: new Date(0) })).toBeNull()
      expect(await adapter.unlinkAccount({ provider: `p${character}`, providerAccountId: `ada${character}` })).toBeUndefined()
      expect(await adapter.useVerificationToken({ identifier: `ada${character}`, token: `ada${character}` })).toBeNull()
    }
    expect(await state()).toEqual(before)
  })
})

/** A token that, if its first character ended the literal, would select the victim's session with the token itself as session token. */
function tokenSelecting(victim: string): string {
  const hex = (text: string) => Buffer.from(text).toString('hex')
  const own = 'replace(0x$,0x24,lower(hex(0x$)))'
  const columns = [own, 'userId', 'expires', 'id', 'name', 'email', 'emailVerified', 'image']
  const template = `\u0127 union select ${columns} from session inner join user on id=userId where userId=0x${hex(victim)} -- `
  return template.replaceAll('$', hex(template))
}

describe.runIf(inject('dialects').includes('mysql')).each(['latin1', 'ascii'])('with a forged cookie, on a connection in %s', (charset) => {
  test('Auth.js signs nobody in', async () => {
    const { adapter } = await openPeople(charset)
    const fetchSession = async (token: string) => {
      const cookie = `authjs.session-token=${encodeURIComponent(token)}`
      const request = new Request('http://localhost/auth/session', { headers: { cookie } })
      const config = { adapter, secret: 'secret', trustHost: true, basePath: '/auth', providers: [], session: { strategy: 'database' } }
      return ((await Auth(request, config as never)) as Response).json()
    }
    expect(await fetchSession('token of ada?')).toMatchObject({ user: { email: 'ada@example.com' } })
    expect(await fetchSession(tokenSelecting('ada'))).toBeNull()
    expect(await fetchSession('\u0127 or 1=1 -- ')).toBeNull()
  })
})
