// Needs PostgreSQL.
import type { AuthConfig } from '@auth/core'
import { Auth } from '@auth/core'
import type { Provider } from '@auth/core/providers'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { sql } from 'drizzle-orm'
import type { AnyPgColumn, AnyPgTable } from 'drizzle-orm/pg-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import type { Client } from '../../support/client.js'
import { openClient } from '../../support/client.js'
import type { AnyAdapter } from '../../support/databases.js'
import { openPg } from '../../support/databases.js'
import { sqlIn } from '../../support/snippets.js'
import { startProvider } from '../provider.js'
import type { Mail } from './recipe.js'
import { appUser, databaseFor, load, signInByLink, useRecipes } from './recipe.js'

interface ConfigFile {
  config: AuthConfig
}

type Tables<Names extends string> = Record<Names, AnyPgTable & { id: AnyPgColumn }>

const origin = 'http://localhost:3000'
const email = 'ada@example.com'
const idOf = async (opened: { run(statement: string): Promise<Record<string, unknown>[]> }, address = email) =>
  (await opened.run(`select id from "user" where email = '${address}'`))[0]?.id as string

describe.runIf(inject('dialects').includes('pg'))('docs/recipes.md', { timeout: 200_000 }, () => {
  useRecipes()

  test('roles: the session has the current role, and no other column of the user', async () => {
    const { url } = await databaseFor('roles')
    await load('roles', 'db.ts', url)
    const { config } = await load<ConfigFile>('roles', 'auth.ts', url)
    const { promote } = await load<{ promote(email: string): Promise<unknown> }>('roles', 'promote.ts', url)
    const mail = await load<Mail>('roles', 'mail.ts', url)
    const { session } = await signInByLink((request) => Auth(request, config), mail, email)
    const expected = { user: { id: expect.any(String), name: null, email, image: null, role: 'member' }, expires: expect.any(String) }
    expect(await session()).toEqual(expected)
    await promote(email)
    expect(await session()).toEqual({ ...expected, user: { ...expected.user, role: 'admin' } })
  })

  test('soft deletion: signed out, refused, restored, and deleted for good, with either kind of session', async () => {
    const opened = await databaseFor('soft-deletion')
    await load('soft-deletion', 'db.ts', opened.url)
    const auth = await load<ConfigFile & Record<'softDelete' | 'restore' | 'deleteForGood', (id: string) => Promise<unknown>>>(
      'soft-deletion',
      'auth.ts',
      opened.url,
    )
    const mail = await load<Mail>('soft-deletion', 'mail.ts', opened.url)
    const provider = await startProvider()
    onTestFinished(provider.close)
    const linking = {
      ...{ id: 'stub', name: 'Stub', type: 'oauth', ...provider.endpoints, allowDangerousEmailAccountLinking: true },
      profile: (profile: { id: string; email: string }) => profile,
    } as Provider
    for (const strategy of ['database', 'jwt'] as const) {
      const email = `${strategy}@example.com`
      const providers = [...auth.config.providers, linking]
      const serve = (request: Request) => Auth(request, { ...auth.config, providers, session: { strategy }, logger: { error() {} } })
      const signInByAccount = async (client: Client, id: string, address: string) => {
        provider.answer({ id, email: address })
        const { csrfToken } = await (await client.go('/auth/csrf')).response.json()
        const { url } = await client.go('/auth/signin/stub', { csrfToken, callbackUrl: '/' })
        return url.pathname + url.search
      }
      const first = await signInByLink(serve, mail, email)
      expect(await first.session()).toMatchObject({ user: { email } })
      const id = await idOf(opened, email)
      await signInByAccount(openClient(origin, serve), `${strategy} linked before`, email)
      const cookie = first.client.cookie('authjs.session-token') ?? ''
      await auth.softDelete(id)
      const ownRows = async () => [
        ...(await opened.run(`select "providerAccountId" as id from "account" where "userId" = '${id}'`)),
        ...(await opened.run(`select "sessionToken" as id from "session" where "userId" = '${id}'`)),
      ]
      const remaining = [{ id: `${strategy} linked before` }]
      expect(await ownRows()).toEqual(remaining)

      // While the browser still has the cookie of the session, another account is not linked to the deleted user.
      await signInByAccount(first.client, `${strategy} other`, `other-${email}`)
      first.client.setCookie('authjs.session-token', cookie)
      expect(await first.session()).toBe(null)

      expect((await signInByLink(serve, mail, email)).path).toContain('error=AccessDenied')
      for (const account of [`${strategy} linked before`, `${strategy} new`]) {
        const browser = openClient(origin, serve)
        expect(await signInByAccount(browser, account, email)).toContain('error=AccessDenied')
        expect(browser.cookie('authjs.session-token')).toBeUndefined()
      }
      expect(await ownRows()).toEqual(remaining)
      expect(await idOf(opened, email)).toBe(id)

      await auth.restore(id)
      expect(await (await signInByLink(serve, mail, email)).session()).toMatchObject({ user: { email } })
      await auth.deleteForGood(id)
      expect(await idOf(opened, email)).toBeUndefined()
    }
  })

  test('row level security: users see and write only their own rows, and the app connects as an ordinary role', async () => {
    const admin = await openPg({ migrations: [] })
    const owner = `owner_${appUser}`
    // The last thing that happens: no database may need the roles any more.
    onTestFinished(async () => {
      await admin.exec(`drop role if exists ${appUser}; drop role ${owner}`)
      await admin.close()
    })
    await admin.exec(`create role ${owner} login createrole`)
    const opened = await databaseFor('policies', owner)
    const { db } = await load<{ db: typeof opened.db }>('policies', 'db.ts', opened.url)
    const [statements = ''] = await sqlIn('docs/recipes.md')
    // In one go, and again: roles belong to the whole server, so the role may exist.
    for (let run = 0; run < 2; run++) await db.execute(sql.raw(statements.replaceAll('app_user', appUser)))
    await opened.exec(`insert into "user" (id, email) values ('ada', 'ada@x'), ('bob', 'bob@x')`)
    const { posts, usersTable, accountsTable } = await load<Tables<'posts' | 'usersTable' | 'accountsTable'>>(
      'policies',
      'schema.ts',
      opened.url,
    )
    type Work<T> = (tx: typeof opened.db) => Promise<T>
    const { asUser } = await load<{ asUser<T>(id: string, work: Work<T>): Promise<T> }>('policies', 'as-user.ts', opened.url)
    const write = (authorId: string, title: string) => (tx: typeof opened.db) => tx.insert(posts).values({ authorId, title } as never)
    const read = (tx: typeof opened.db) => tx.select().from(posts)
    await asUser('ada', write('ada', 'first'))
    await asUser('bob', write('bob', 'second'))
    expect(await asUser('ada', read)).toMatchObject([{ authorId: 'ada', title: 'first' }])
    expect(await asUser('bob', read)).toMatchObject([{ authorId: 'bob', title: 'second' }])
    expect(await asUser('', read)).toEqual([])
    const refused = { cause: { code: '42501' } }
    await expect(asUser('ada', write('bob', 'forged'))).rejects.toMatchObject(refused)
    // It has no rights on the tables of the adapter.
    await expect(asUser('ada', (tx) => tx.select().from(usersTable))).rejects.toMatchObject(refused)
    expect(await db.select().from(posts)).toHaveLength(2)
    const adapter = DrizzleAdapter(db, { usersTable, accountsTable } as never) as AnyAdapter
    expect(await adapter.deleteUser('ada')).toMatchObject({ id: 'ada' })
    expect(await db.select().from(posts)).toHaveLength(1)
  })

  test('tenants: an address can be used in each of them, and a session in only one', async () => {
    const [acme, globex] = [await databaseFor('tenants'), await databaseFor('tenants')]
    const { databases } = await load<{ databases: Record<string, string> }>('tenants', 'tenants.ts', acme.url)
    Object.assign(databases, { acme: acme.url, globex: globex.url })
    const { handleAuth } = await load<{ handleAuth(request: Request): Promise<Response> }>('tenants', 'auth.ts', acme.url)
    const mail = await load<Mail>('tenants', 'mail.ts', acme.url)
    const atAcme = await signInByLink(handleAuth, mail, email, 'http://acme.localhost:3000')
    expect(await atAcme.session()).toMatchObject({ user: { email } })
    expect(await globex.run('select * from "user"')).toEqual([])

    const stranger = openClient('http://globex.localhost:3000', handleAuth)
    stranger.setCookie('authjs.session-token', atAcme.client.cookie('authjs.session-token') ?? '')
    expect(await (await stranger.go('/auth/session')).response.json()).toBe(null)

    const atGlobex = await signInByLink(handleAuth, mail, email, 'http://globex.localhost:3000')
    expect(await atGlobex.session()).toMatchObject({ user: { email } })
    expect(await idOf(acme)).not.toBe(await idOf(globex))
    expect((await handleAuth(new Request('http://initech.localhost:3000/auth/session'))).status).toBe(404)
  })
})
