import { equal, includes, isNull, ok, successes } from './expect.js'
import { contractCase, inDays, someToken, unique } from './fixtures.js'

export const tokenCases = [
  contractCase(
    'createVerificationToken returns the token that useVerificationToken then returns',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const token = someToken()
      equal(await adapter.createVerificationToken(token), token, 'createVerificationToken')
      equal(await adapter.useVerificationToken(token), token, 'useVerificationToken')
    },
  ),

  contractCase(
    'createVerificationToken returns its own token where the address has others',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const { identifier } = someToken()
      for (const token of [someToken({ identifier }), someToken({ identifier }), someToken({ identifier })]) {
        equal(await adapter.createVerificationToken(token), token, 'createVerificationToken')
      }
    },
  ),

  contractCase('useVerificationToken works once', ['createVerificationToken', 'useVerificationToken'], async (adapter) => {
    const token = someToken()
    await adapter.createVerificationToken(token)
    ok(await adapter.useVerificationToken(token), 'the first use must get the token')
    isNull(await adapter.useVerificationToken(token), 'the second use')
  }),

  contractCase('of fifty that use one token at once, one gets it', ['createVerificationToken', 'useVerificationToken'], async (adapter) => {
    for (let round = 0; round < 4; round++) {
      const token = someToken()
      await adapter.createVerificationToken(token)
      const answers = await successes(Array.from({ length: 50 }, () => adapter.useVerificationToken(token)))
      equal(answers.filter((answer) => answer !== null).length, 1, 'how many got the token')
    }
  }),

  contractCase(
    'useVerificationToken needs the address and the token of one row',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const [first, second] = [someToken(), someToken()]
      await adapter.createVerificationToken(first)
      await adapter.createVerificationToken(second)
      isNull(
        await adapter.useVerificationToken({ identifier: first.identifier, token: second.token }),
        "one's address with another's token",
      )
      isNull(await adapter.useVerificationToken({ identifier: first.identifier, token: unique('token') }), 'an unknown token')
      ok(await adapter.useVerificationToken(first), 'the first token must still be there')
      ok(await adapter.useVerificationToken(second), 'the second token must still be there')
    },
  ),

  contractCase(
    'useVerificationToken returns an expired token, which the library refuses, and deletes it',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const token = someToken({ expires: inDays(-1) })
      await adapter.createVerificationToken(token)
      includes(await adapter.useVerificationToken(token), token, 'useVerificationToken')
      isNull(await adapter.useVerificationToken(token), 'the second use')
    },
  ),
]
