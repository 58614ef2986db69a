import { casesAbout } from '../case.js'
import { expectAccount, expectError, expectNothing, expectNull, expectSessionAndUser, fail } from '../expect.js'
import { createFixture, createUser } from '../fixture.js'
import { accountKey, daysFromNow, makeAccount, makeSession, makeTokens } from '../rows.js'

const secretCase = casesAbout('secrets at rest')

type Rows = readonly object[]

// MySQL returns some text columns as bytes.
const textOf = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value))
const textsOf = (row: object) => Object.values(row).map(textOf)
const rowsWith = (rows: Rows, text: string) => rows.filter((row) => textsOf(row).includes(text))

function expectNoTokens(rows: Rows, tokens: readonly string[], what: string): void {
  const isStored = (token: string) => rows.some((row) => textsOf(row).some((text) => text.includes(token)))
  if (tokens.some(isStored)) fail(`${what}: expected no raw token in the stored rows`)
}

/** Expects the values of a column to have this form, and returns them. */
function expectForm(rows: Rows, name: string, form: RegExp, what: string): string[] {
  const values = rows.map((row) => Reflect.get(row, name) as unknown).filter((value) => value != null)
  if (values.length === 0) fail(`${what}: expected a stored row with the column ${name}`)
  const texts = values.map(textOf)
  if (!texts.every((text) => form.test(text))) fail(`${what}, column ${name}: expected a value of the form ${form}`)
  return texts
}

/** Cases for adapters that protect their secrets, with the option `stored`. */
export const secretCases = [
  secretCase(
    'no value of a stored session works as its token',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter, { stored }) => {
      if (!stored?.sessions) return
      const user = await createUser(adapter)
      const session = makeSession(user.id)
      await adapter.createSession(session)
      const rows = rowsWith(await stored.sessions(), user.id)
      for (const value of [...expectForm(rows, 'sessionToken', stored.sessionToken, 'createSession'), ...rows.flatMap(textsOf)]) {
        expectNull(await adapter.getSessionAndUser(value), 'getSessionAndUser by a stored value')
        const updated = await adapter.updateSession?.({ sessionToken: value, expires: daysFromNow(3) })
        expectNothing(updated, 'updateSession by a stored value')
        expectNothing(await adapter.deleteSession?.(value), 'deleteSession by a stored value')
      }
      expectSessionAndUser(await adapter.getSessionAndUser(session.sessionToken), { session, user }, 'getSessionAndUser')
    },
  ),

  secretCase('createSession rejects a token of the stored form', ['createUser', 'createSession'], async (adapter, { stored }) => {
    if (!stored?.sessions) return
    const { id } = await createUser(adapter)
    await adapter.createSession(makeSession(id))
    const rows = rowsWith(await stored.sessions(), id)
    for (const sessionToken of expectForm(rows, 'sessionToken', stored.sessionToken, 'createSession')) {
      const session = makeSession(id, { sessionToken: `${sessionToken.slice(0, -1)}A` })
      await expectError(adapter.createSession(session), 'createSession with a token of the stored form')
    }
  }),

  secretCase('tokens of a stored account are encrypted', ['createUser', 'linkAccount'], async (adapter, { stored }) => {
    if (!stored?.accounts) return
    const account = makeAccount((await createUser(adapter)).id, makeTokens())
    await adapter.linkAccount(account)
    const rows = rowsWith(await stored.accounts(), account.providerAccountId)
    for (const name of ['access_token', 'refresh_token', 'id_token']) expectForm(rows, name, stored.accountToken, 'linkAccount')
    if (adapter.getAccount) expectAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
  }),

  secretCase('no operation leaves a raw token in the stored rows', ['createUser'], async (adapter, { stored }) => {
    const { accounts, sessions } = (await createFixture(adapter)).ada
    const [account, { sessionToken }] = [accounts[0], sessions[0]]
    const tokens = [sessionToken, account.access_token, account.refresh_token, account.id_token] as string[]
    const operations = {
      createSession: () => undefined,
      getSessionAndUser: () => adapter.getSessionAndUser?.(sessionToken),
      getAccount: () => adapter.getAccount?.(account.providerAccountId, account.provider),
      updateSession: () => adapter.updateSession?.({ sessionToken, expires: daysFromNow(5) }),
      getUserByAccount: () => adapter.getUserByAccount?.(accountKey(account)),
      deleteSession: () => adapter.deleteSession?.(sessionToken),
      unlinkAccount: () => adapter.unlinkAccount?.(accountKey(account)),
    }
    for (const [operation, run] of Object.entries(operations)) {
      await run()
      for (const rows of [await stored?.sessions?.(), await stored?.accounts?.()]) expectNoTokens(rows ?? [], tokens, operation)
    }
  }),
]
