import type { VerificationToken } from '../models.js'
import { casesAbout } from './case.js'
import { isNull, isToken, settled } from './expect.js'
import { inDays, someToken, unique } from './fixtures.js'
import { show } from './show.js'
import { keyOfToken } from './world.js'

const contractCase = casesAbout('operations')

export const tokenCases = [
  contractCase(
    'a verification token works once, also one that was created twice',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      for (const times of ['once', 'twice']) {
        const token = someToken()
        const again = { ...token, expires: inDays(0.5) }
        await adapter.createVerificationToken(token)
        // Whether that is refused or accepted, the contract does not say.
        const isReplaced = times === 'twice' && 'value' in (await settled(adapter.createVerificationToken(again)))
        const used = await adapter.useVerificationToken(keyOfToken(token))
        isToken(used, isReplaced ? again : token, `useVerificationToken of a token created ${times}`)
        for (const use of ['second', 'third'])
          isNull(
            await adapter.useVerificationToken(keyOfToken(token)),
            `useVerificationToken, the ${use} time, of a token created ${times}`,
          )
        // Whether it may be created once it was used, the contract does not say: but then it works.
        if ('value' in (await settled(adapter.createVerificationToken(token))))
          isToken(await adapter.useVerificationToken(keyOfToken(token)), token, 'useVerificationToken of a token created after its use')
      }
    },
  ),

  contractCase(
    'an address may have many verification tokens, and each of them works',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      const { identifier } = someToken()
      const tokens = Array.from({ length: 11 }, () => someToken({ identifier }))
      for (const token of tokens) await adapter.createVerificationToken({ ...token, 'no such column': 1 } as VerificationToken)
      for (const token of tokens) {
        const key = { ...keyOfToken(token), 'no such column': 1 }
        isToken(await adapter.useVerificationToken(key), token, 'useVerificationToken of one of many')
      }
    },
  ),

  contractCase('useVerificationToken needs the address and the token of one row', ['useVerificationToken'], async (adapter) => {
    const [first, second] = [someToken(), someToken()]
    await adapter.createVerificationToken?.(first)
    await adapter.createVerificationToken?.(second)
    const wrong = [
      { identifier: first.identifier, token: second.token },
      { identifier: second.identifier, token: first.token },
      { identifier: first.identifier, token: unique('token') },
      { identifier: unique('mail'), token: first.token },
      { identifier: first.token, token: first.identifier },
      { identifier: first.identifier, token: '' },
      { identifier: '', token: first.token },
      { identifier: '', token: '' },
    ]
    for (const key of wrong) isNull(await adapter.useVerificationToken(key), `useVerificationToken(${show(key)})`)
    if (!adapter.createVerificationToken) return
    isToken(await adapter.useVerificationToken(keyOfToken(first)), first, 'useVerificationToken after wrong ones')
    isToken(await adapter.useVerificationToken(keyOfToken(second)), second, 'useVerificationToken after wrong ones')
  }),
]
