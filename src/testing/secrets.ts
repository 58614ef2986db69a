import { casesAbout } from './case.js'
import { fail, isAccount, isNothing, isNull, isSessionAndUser, ok, settled } from './expect.js'
import { inDays, someAccount, someSession, someTokens, unique } from './fixtures.js'
import { furnish, keyOfAccount, newUser } from './world.js'

const contractCase = casesAbout('secrets at rest')

type Rows = readonly object[]

const textsOf = (row: object) => Object.values(row).map(textOf)

// MySQL's console shows bytes of some columns as text.
const textOf = (value: unknown) => (value instanceof Uint8Array ? new TextDecoder().decode(value) : String(value))

/** Fails if a token is in the rows. */
function expectProtected(rows: Rows, tokens: readonly string[], what: string): void {
  for (const token of tokens)
    if (rows.some((row) => textsOf(row).some((text) => text.includes(token)))) fail(`${what}: expected no raw token in the stored rows`)
}

/** The values of a column, which must all have this form. */
function expectForm(rows: Rows, name: string, form: RegExp, what: string): string[] {
  const values = rows.map((row) => Reflect.get(row, name) as unknown).filter((value) => value != null)
  ok(values.length > 0, `${what}: expected a stored row with the column ${name}`)
  return values.map((value) => {
    ok(form.test(textOf(value)), `${what}, column ${name}: expected a value of the form ${form}`)
    return textOf(value)
  })
}

/** For adapters that protect their secrets, with the option `stored`. */
export const secretCases = [
  contractCase(
    'a stored session holds nothing that signs in',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter, { stored }) => {
      if (!stored?.sessions) return
      const user = await newUser(adapter)
      const session = someSession(user.id)
      await adapter.createSession(session)
      const expires = adapter.updateSession ? inDays(2) : session.expires
      await adapter.updateSession?.({ sessionToken: session.sessionToken, expires })
      const rows = await stored.sessions()
      expectProtected(rows, [session.sessionToken], 'createSession and updateSession')
      const own = rows.filter((row) => textsOf(row).includes(user.id))
      for (const value of [...expectForm(own, 'sessionToken', stored.sessionToken, 'createSession'), ...own.flatMap(textsOf)]) {
        isNull(await adapter.getSessionAndUser(value), 'getSessionAndUser of a stored value')
        if (adapter.updateSession)
          isNothing(await adapter.updateSession({ sessionToken: value, expires: inDays(3) }), 'updateSession of a stored value')
        if (adapter.deleteSession) isNothing(await adapter.deleteSession(value), 'deleteSession of a stored value')
      }
      const found = await adapter.getSessionAndUser(session.sessionToken)
      isSessionAndUser(found, { ...session, expires }, user, 'getSessionAndUser')
    },
  ),

  contractCase('createSession refuses a token of the stored form', ['createUser', 'createSession'], async (adapter, { stored }) => {
    if (!stored?.sessions) return
    const { id } = await newUser(adapter)
    await adapter.createSession(someSession(id))
    const own = (await stored.sessions()).filter((row) => textsOf(row).includes(id))
    for (const sessionToken of expectForm(own, 'sessionToken', stored.sessionToken, 'createSession')) {
      const result = await settled(adapter.createSession(someSession(id, { sessionToken: `${sessionToken.slice(0, -1)}A` })))
      ok('thrown' in result, 'createSession with a token of the stored form: expected an error')
    }
  }),

  contractCase('a stored account holds no token', ['createUser', 'linkAccount'], async (adapter, { stored }) => {
    if (!stored?.accounts) return
    const user = await newUser(adapter)
    const [access_token, refresh_token, id_token] = [unique('access'), unique('refresh'), unique('id')]
    const account = someAccount(user.id, { ...someTokens(), access_token, refresh_token, id_token })
    await adapter.linkAccount(account)
    const rows = (await stored.accounts()).filter((row) => textsOf(row).includes(account.providerAccountId))
    expectProtected(rows, [access_token, refresh_token, id_token], 'linkAccount')
    for (const name of ['access_token', 'refresh_token', 'id_token']) expectForm(rows, name, stored.accountToken, 'linkAccount')
    if (adapter.getAccount) isAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
  }),

  contractCase('no operation leaves a token in the stored rows', ['createUser'], async (adapter, { stored }) => {
    const { session, account } = await furnish(adapter)
    const tokens = [session.sessionToken, ...[account.access_token, account.refresh_token, account.id_token].filter((each) => each != null)]
    const check = async (what: string) => {
      if (stored?.sessions) expectProtected(await stored.sessions(), tokens, what)
      if (stored?.accounts) expectProtected(await stored.accounts(), tokens, what)
    }
    await check('creating a user with everything')
    for (const operation of [
      () => adapter.getSessionAndUser?.(session.sessionToken),
      () => adapter.getAccount?.(account.providerAccountId, account.provider),
      () => adapter.updateSession?.({ ...session, expires: inDays(5) }),
      () => adapter.getUserByAccount?.(keyOfAccount(account)),
      () => adapter.deleteSession?.(session.sessionToken),
      () => adapter.unlinkAccount?.(keyOfAccount(account)),
    ]) {
      await operation()
      await check('an operation')
    }
  }),
]
