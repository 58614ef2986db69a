import { casesAbout } from '../case.js'
import { expectNothing, expectNull, expectRowOrNothing, expectToken, settle } from '../expect.js'
import { createFixture, fixtureCasesAbout } from '../fixture.js'
import { daysFromNow, makeToken, tokenKey } from '../rows.js'

const contractCase = casesAbout('operations')
const fixtureCase = fixtureCasesAbout('operations')

export const tokenCases = [
  fixtureCase(
    'useVerificationToken returns a token only once',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter, fixture) => {
      const [token] = fixture.ada.tokens
      expectToken(await adapter.useVerificationToken(tokenKey(token)), token, 'useVerificationToken')
      fixture.remove(token)
      await fixture.verify('after useVerificationToken')
      expectNull(await adapter.useVerificationToken(tokenKey(token)), 'useVerificationToken, the third time')
    },
  ),

  contractCase('an identifier can have many tokens', ['createVerificationToken', 'useVerificationToken'], async (adapter) => {
    const { identifier } = makeToken()
    const tokens = Array.from({ length: 11 }, () => makeToken({ identifier }))
    for (const token of tokens) {
      const created = await adapter.createVerificationToken(token)
      expectRowOrNothing(created, token, 'createVerificationToken', expectToken)
    }
    for (const token of tokens) expectToken(await adapter.useVerificationToken(tokenKey(token)), token, 'useVerificationToken')
  }),

  contractCase('a token that is created twice works once', ['createVerificationToken', 'useVerificationToken'], async (adapter) => {
    const token = makeToken()
    const again = { ...token, expires: daysFromNow(0.5) }
    await adapter.createVerificationToken(token)
    // The contract allows both: the token is replaced, or the call is rejected.
    const result = await settle(adapter.createVerificationToken(again))
    expectToken(await adapter.useVerificationToken(tokenKey(token)), 'value' in result ? again : token, 'useVerificationToken')
    expectNull(await adapter.useVerificationToken(tokenKey(token)), 'useVerificationToken, the second time')
  }),

  contractCase(
    'verification tokens and users do not affect each other',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const fixture = await createFixture(adapter, { user: { emailVerified: null } })
      const [token, stranger] = [makeToken({ identifier: fixture.ada.user.email }), makeToken()]
      for (const each of [token, stranger]) await adapter.createVerificationToken(each)
      expectNothing(await adapter.getUserByEmail?.(stranger.identifier), 'getUserByEmail after createVerificationToken')
      for (const each of [token, stranger]) expectToken(await adapter.useVerificationToken(tokenKey(each)), each, 'useVerificationToken')
      expectNothing(await adapter.getUserByEmail?.(stranger.identifier), 'getUserByEmail after useVerificationToken')
      await fixture.verify('after useVerificationToken')
    },
  ),
]
