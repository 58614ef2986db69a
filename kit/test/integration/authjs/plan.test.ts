import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { AppOptions, TargetOptions } from '../../support/authjs/app.js'
import { openApp } from '../../support/authjs/app.js'
import { ends, idToken, now, objectId, people, tokens } from '../../support/authjs/people.js'
import { run } from '../../support/commands/app.js'

/** Every conversion with real rows, what the plan refuses, and what undo does with rows that were written since. */

const day = 86_400_000
const ours: TargetOptions = { generator: 'ours', camelCase: true }

/** A row as it was read: dates as times, booleans as booleans, bytes as text. */
function plainRow(row: Record<string, unknown>): Record<string, unknown> {
  const plain = (name: string, value: unknown) => {
    if (value instanceof Uint8Array) return Buffer.from(value).toString()
    if (value instanceof Date) return value.getTime()
    if (/At$/.test(name) && typeof value === 'string') return new Date(/\+\d\d$/.test(value) ? `${value}:00` : value).getTime()
    if (/^(emailVerified|backedUp)$/.test(name) && typeof value === 'number') return value === 1
    return value
  }
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, plain(name, value)]))
}

describe.each(inject('dialects'))('doctor --from authjs on %s', (dialect) => {
  const open = async (options?: AppOptions, target = ours) => {
    const app = await openApp(dialect, 'defineTables', target, options)
    onTestFinished(app.close)
    // mysql2 reads a datetime in the time zone of this machine.
    const time = (name: string) =>
      dialect === 'mysql' ? `cast(timestampdiff(microsecond, '1970-01-01', "${name}") div 1000 as double)` : `"${name}"`
    const rows = async (table: string, columns: string[], dates: string[] = []) =>
      (
        await app.q(
          `select ${[...columns.map((name) => `"${name}"`), ...dates.map((name) => `${time(name)} as "${name}"`)].join(', ')} from "${table}"`,
        )
      )
        .map(plainRow)
        .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
    return { ...app, rows }
  }
  const errors = (findings: { severity: string; code: string }[]) =>
    findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)

  test('converts every row', async () => {
    const app = await open()
    const { plan, findings } = await app.plan()
    expect(errors(findings)).toEqual([])
    await app.apply(plan)
    const moved = Date.now()
    const isNow = (value: unknown) => Math.abs(Number(value) - moved) < 60_000

    const users = await app.rows('user', ['id', 'name', 'email', 'emailVerified', 'image'], ['createdAt', 'updatedAt'])
    expect(users).toMatchObject([
      { id: 'u-ada', name: 'Ada', email: 'ada@example.com', emailVerified: true, image: 'https://a.test/ada.png' },
      { id: 'u-bob', name: '', email: 'bob@example.com', emailVerified: false, image: null },
      { id: 'u-zoe', name: "Zoë 'O\\Neil'", email: 'zoë@example.com', emailVerified: false, image: null },
    ])
    // The bridge refuses JWTs that are older than their users.
    const ninetyDays = 90 * 24 * 3_600_000
    expect(users.every(({ createdAt, updatedAt }) => isNow(Number(createdAt) + ninetyDays) && isNow(updatedAt))).toBe(true)

    const fields = ['accountId', 'providerId', 'userId', 'accessToken', 'refreshToken', 'idToken', 'scope', 'password']
    const accounts = await app.rows('account', fields, ['accessTokenExpiresAt', 'refreshTokenExpiresAt', 'createdAt', 'updatedAt'])
    const none = {
      accessToken: null,
      refreshToken: null,
      idToken: null,
      password: null,
      accessTokenExpiresAt: null,
      refreshTokenExpiresAt: null,
    }
    expect(accounts.map(({ createdAt, updatedAt, ...account }) => ({ ...account, isNow: isNow(createdAt) && isNow(updatedAt) }))).toEqual(
      expect.arrayContaining([
        {
          ...none,
          accountId: '4711',
          providerId: 'github',
          userId: 'u-ada',
          accessToken: 'gho_1',
          refreshToken: 'ghr_1',
          scope: 'read:user,user:email',
          accessTokenExpiresAt: 1_900_000_000_000,
          isNow: true,
        },
        { ...none, accountId: '10', providerId: 'google', userId: 'u-bob', accessToken: 'e1.k.AAAA', scope: 'openid,email', isNow: true },
        {
          ...none,
          // SQLite cannot decode the token.
          accountId: dialect === 'sqlite' ? 'pairwise' : objectId,
          providerId: 'microsoft',
          userId: 'u-zoe',
          idToken,
          scope: 'openid,profile,email',
          isNow: true,
        },
      ]),
    )
    expect(accounts).toHaveLength(3)

    const sessions = await app.rows('session', ['userId', 'token', 'ipAddress', 'id'], ['expiresAt', 'createdAt', 'updatedAt'])
    expect(Object.fromEntries(sessions.map(({ userId, token }) => [userId, token]))).toEqual({
      'u-ada': tokens.ada,
      'u-bob': tokens.bob,
      'u-zoe': tokens.zoe,
    })
    const end = (userId: string) => Number(sessions.find((session) => session.userId === userId)?.expiresAt)
    expect(Math.abs(end('u-ada') - moved - 7 * day)).toBeLessThan(60_000)
    expect([end('u-bob'), end('u-zoe')]).toEqual([ends.bob, ends.zoe])
    expect(sessions.every(({ createdAt, updatedAt }) => Number(createdAt) < moved - 300 * day && isNow(updatedAt))).toBe(true)

    const marks = await app.rows('verification', ['identifier', 'value'], ['expiresAt'])
    expect(marks.map(({ identifier, value }) => ({ identifier, value }))).toEqual(
      sessions
        .map(({ token, id }) => ({ identifier: `authjs-session:${token}`, value: id }))
        .sort((one, other) => one.identifier.localeCompare(other.identifier)),
    )
    expect(marks.every(({ expiresAt }) => Math.abs(Number(expiresAt) - moved - 90 * day) < 60_000)).toBe(true)

    expect(await app.rows('passkey', ['userId', 'credentialID', 'publicKey', 'counter', 'deviceType', 'backedUp', 'transports'])).toEqual([
      {
        userId: 'u-ada',
        credentialID: 'ab-_cd',
        publicKey: 'pQEC+/==',
        counter: 7,
        deviceType: 'multiDevice',
        backedUp: true,
        transports: 'internal,hybrid',
      },
    ])
    const ids = (await Promise.all(['account', 'session', 'verification', 'passkey'].map((table) => app.rows(table, ['id'])))).flat()
    expect(new Set(ids.map(({ id }) => id)).size).toBe(10)
    expect(ids.every(({ id }) => /^[0-9a-f]{32}$/.test(String(id)))).toBe(true)
    expect(await app.q('select "id" from "posts"')).toHaveLength(3)
  })

  test('caps sessions at --expires-in', async () => {
    const app = await open()
    const { plan } = await app.plan('--expires-in', String(40 * 86_400))
    await app.apply(plan)
    const [ada] = (await app.rows('session', ['token'], ['expiresAt'])).filter(({ token }) => token === tokens.ada)
    expect(ada?.expiresAt).toBe(ends.ada)
  })

  test('says what it does, prints cleanup and undo as comments, and then that it was done', async () => {
    const app = await open()
    const { code, stdout } = await app.text()
    expect(code).toBe(0)
    const { plan, cleanup, undo } = await app.plan()
    const lines = stdout.split('\n')
    for (const statement of plan.flatMap(({ sql }) => sql).filter((text) => !text.includes('gen_random')))
      expect(stdout).toContain(statement)
    for (const statement of [...cleanup, ...undo].flatMap(({ sql }) => sql))
      for (const line of statement.split('\n')) expect(lines).toContain(`-- ${line}`)
    expect(stdout).toMatch(/tokens that still work/)

    await app.apply(plan)
    const again = await app.plan()
    expect(again).toMatchObject({ code: 0, plan: [], cleanup })
    expect(again.findings.map(({ code: kind }) => kind)).toEqual(['moved', 'old-secrets'])
    const warned = async () => (await run(['doctor', '--url', app.url])).stdout.includes('[old-secrets]')
    expect(await warned()).toBe(true)
    await app.apply(again.cleanup)
    expect(await app.plan()).toMatchObject({ code: 0, plan: [], cleanup: [], findings: [{ code: 'moved' }] })
    expect(await app.rows('verification', ['identifier'])).toHaveLength(3)
    expect(await warned()).toBe(false)
  })

  test('undo revives nothing that was ended or changed since, and says what was written', async () => {
    const hash = '$2b$10$abcdefghijklmnopqrstuv'
    const app = await open({
      own: ['alter table "user" add column "hash" varchar(200)', `update "user" set "hash" = '${hash}' where "id" <> 'u-zoe'`],
    })
    const { plan, undo, findings } = await app.plan('--password', 'user.hash')
    expect(findings.find(({ code }) => code === 'password-hashes')?.message).toMatch(/: 2 rows$/)
    await app.apply(plan)
    expect(await app.rows('account', ['userId', 'accountId', 'password'])).toEqual(
      expect.arrayContaining(['u-ada', 'u-bob'].map((id) => ({ userId: id, accountId: id, password: hash }))),
    )
    const later = dialect === 'sqlite' ? String(now) : `'2026-01-01'`
    for (const statement of [
      `delete from "session" where "token" = '${tokens.ada}'`,
      `delete from "account" where "providerId" = 'google'`,
      `delete from "passkey"`,
      `update "account" set "password" = 'new:hash' where "userId" = 'u-ada' and "providerId" = 'credential'`,
      `delete from "account" where "userId" = 'u-bob' and "providerId" = 'credential'`,
      `update "user" set "email" = 'new@example.com', "emailVerified" = ${dialect === 'sqlite' ? 1 : 'true'} where "id" = 'u-bob'`,
      `update "user" set "name" = 'Ada L.' where "id" = 'u-ada'`,
      `insert into "user" ("id", "name", "email", "emailVerified", "createdAt", "updatedAt") values ('u-new', 'New', 'n@example.com', ${dialect === 'sqlite' ? 1 : 'true'}, ${later}, ${later})`,
      `insert into "session" ("id", "token", "userId", "expiresAt", "createdAt", "updatedAt") values ('s', 't', 'u-new', ${later}, ${later}, ${later})`,
      `delete from "user" where "id" = 'u-zoe'`,
    ])
      await app.exec(statement)
    const said = (await app.plan()).findings.find(({ code }) => code === 'written-since')
    expect(said?.message).toMatch(/1 user, 1 session\./)
    await app.apply(undo)

    const verified = `case when "emailVerified" is null then 0 else 1 end as "verified"`
    const users = (await app.q(`select "id", "name", "email", "hash", ${verified} from "user" order by "id"`)).map(plainRow)
    expect(users.map((user) => ({ ...user, verified: Number(user.verified) }))).toEqual([
      { id: 'u-ada', name: 'Ada L.', email: 'Ada@Example.com', hash: 'new:hash', verified: 1 },
      { id: 'u-bob', name: null, email: 'new@example.com', hash: null, verified: 1 },
      { id: 'u-new', name: 'New', email: 'n@example.com', hash: null, verified: 1 },
    ])
    expect(await app.rows('session', ['sessionToken'])).toEqual([{ sessionToken: tokens.bob }])
    expect(await app.rows('account', ['provider'])).toEqual([{ provider: 'github' }])
    expect(await app.rows('authenticator', ['userId'])).toEqual([])
  })

  const account = (provider: string, more = {}) => ({ userId: 'u-ada', type: 'oidc', provider, providerAccountId: provider, ...more })

  test('warns of accounts of Microsoft without an object id, of other providers, and of passkeys without a table', async () => {
    const rows = { ...people, account: [account('azure-ad', { id_token: 'no.token' }), account('okta'), account('salesforce')] }
    const app = await open({ rows }, { ...ours, passkeys: false })
    const { code, findings, plan } = await app.plan()
    expect(code).toBe(0)
    const found = (kind: string) => findings.filter((finding) => finding.code === kind).map(({ message }) => message)
    expect(found('account-ids')).toHaveLength(2)
    expect(found('other-providers')).toEqual([expect.stringMatching(/: 1 row$/)])
    expect(found('no-passkeys')).toEqual([expect.stringMatching(/: 1 row$/)])
    await app.apply(plan)
    expect(await app.rows('account', ['providerId', 'accountId'])).toContainEqual({ providerId: 'microsoft', accountId: 'azure-ad' })
  })
})
