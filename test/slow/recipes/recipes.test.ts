// Needs PostgreSQL.
import type { AuthConfig } from '@auth/core'
import { Auth } from '@auth/core'
import type { Provider } from '@auth/core/providers'
import { eq } from 'drizzle-orm'
import type { AnyPgColumn, AnyPgTable } from 'drizzle-orm/pg-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startProvider } from '../../auth/provider.js'
import type { Client } from '../../support/client.js'
import { openClient } from '../../support/client.js'
import type { Mail } from './recipe.js'
import { databaseFor, load, signInByLink, useRecipes } from './recipe.js'

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

  test('teams: a user has a role in each of their teams', async () => {
    const opened = await databaseFor('teams')
    await load('teams', 'db.ts', opened.url)
    const { members, teams, usersTable } = await load<Tables<'members' | 'teams' | 'usersTable'>>('teams', 'schema.ts', opened.url)
    const { roleIn } = await load<{ roleIn(team: string, user: string): Promise<string | undefined> }>('teams', 'membership.ts', opened.url)
    await opened.db.insert(usersTable).values([{ id: 'ada', email: 'ada@x' }] as never)
    await opened.db.insert(teams).values([
      { id: 'red', name: 'Red' },
      { id: 'blue', name: 'Blue' },
    ] as never)
    await opened.db.insert(members).values([{ teamId: 'red', userId: 'ada', role: 'owner' }] as never)
    expect([await roleIn('red', 'ada'), await roleIn('blue', 'ada'), await roleIn('red', 'bob')]).toEqual(['owner', undefined, undefined])
    await opened.db.delete(usersTable).where(eq(usersTable.id, 'ada'))
    expect(await opened.db.select().from(members)).toEqual([])
  })
})
