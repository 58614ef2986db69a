import { casesAbout } from './case.js'
import { equal, isAccount, isNull, isToken, isUser, settled, successes } from './expect.js'
import { someAccount, someToken, unique } from './fixtures.js'
import { show } from './show.js'
import type { Subject } from './subject.js'
import { expectUser, expectWorld, isList, lookAround } from './views.js'
import type { World } from './world.js'
import { furnish, keyOfAccount, keyOfToken, newUser } from './world.js'

const contractCase = casesAbout('exactness')

// Whatever could be put between two keys that are joined into one.
const separators = ['', ':', '::', '|', '/', '-', '_', ',', ' ', '.', '#', ';', '&', '\t', '","']

export const exactnessCases = [
  contractCase('a provider and an account id are two keys, however they are joined', ['linkAccount'], async (adapter) => {
    const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
    for (const separator of separators) {
      const name = unique('p')
      const first = someAccount(ada.id, { provider: `${name}${separator}b`, providerAccountId: 'c' })
      const second = someAccount(bob.id, { provider: name, providerAccountId: `b${separator}c` })
      await adapter.linkAccount(first)
      if (adapter.getUserByAccount)
        isNull(await adapter.getUserByAccount(keyOfAccount(second)), `getUserByAccount(${show(keyOfAccount(second))})`)
      if (adapter.getAccount) isNull(await adapter.getAccount(second.providerAccountId, second.provider), `getAccount of ${show(second)}`)
      await adapter.linkAccount(second)
      for (const [account, user] of [
        [first, ada],
        [second, bob],
      ] as const) {
        if (adapter.getUserByAccount && adapter.createUser)
          isUser(await adapter.getUserByAccount(keyOfAccount(account)), user, 'getUserByAccount')
        if (adapter.getAccount) isAccount(await adapter.getAccount(account.providerAccountId, account.provider), account, 'getAccount')
      }
    }
  }),

  contractCase(
    'an address and a token are two keys, however they are joined',
    ['createVerificationToken', 'useVerificationToken'],
    async (adapter) => {
      for (const separator of separators) {
        const name = unique('i')
        const first = someToken({ identifier: `${name}${separator}b`, token: 'c' })
        const second = someToken({ identifier: name, token: `b${separator}c` })
        await adapter.createVerificationToken(first)
        isNull(await adapter.useVerificationToken(keyOfToken(second)), `useVerificationToken(${show(keyOfToken(second))})`)
        await adapter.createVerificationToken(second)
        isToken(await adapter.useVerificationToken(keyOfToken(first)), first, 'useVerificationToken')
        isToken(await adapter.useVerificationToken(keyOfToken(second)), second, 'useVerificationToken')
      }
    },
  ),

  contractCase('one text may be the key of rows of every kind', ['createUser'], async (adapter) => {
    const text = unique('key')
    const ada = await newUser(adapter, { email: text })
    // Somebody else whose id is Ada's address, and another whose address is Ada's id.
    const created = await settled(newUser(adapter, { id: text }))
    const others = ['value' in created ? created.value : await newUser(adapter), await newUser(adapter, { email: ada.id })]
    const world = await furnish(
      adapter,
      {
        account: { provider: text, providerAccountId: text },
        session: { sessionToken: text },
        token: { identifier: text, token: text },
        authenticator: { credentialID: text },
      },
      ada,
    )
    await lookAround(adapter, world)
    for (const user of others) await expectUser(adapter, user, 'whose key is also the key of other rows')
    await adapter.deleteSession?.(text)
    const gone = adapter.deleteSession ? (['session'] as const) : []
    await expectWorld(adapter, world, 'whose keys are all the same text', { gone })
    for (const user of others) await expectUser(adapter, user, 'whose key was also the key of a deleted row')
  }),

  contractCase('users whose ids begin alike are strangers', ['createUser', 'deleteUser'], async (adapter) => {
    const id = unique('id')
    const worlds: World[] = []
    for (const each of [id, `${id}1`, `${id}:1`, `1${id}`]) {
      // An adapter may make ids of its own, or take only those of a certain form.
      const created = await settled(newUser(adapter, { id: each }))
      worlds.push(await furnish(adapter, {}, 'value' in created ? created.value : await newUser(adapter)))
    }
    const [first, ...others] = worlds as [World, ...World[]]
    for (const world of worlds) await expectOnlyOwn(adapter, world)
    await adapter.deleteUser(first.user.id)
    for (const world of others) await expectWorld(adapter, world, 'after deleteUser of a user whose id begins alike')
  }),
  contractCase(
    'what is given to a lookalike of a user is refused, or belongs to nobody',
    ['createUser', ['linkAccount', 'createSession', 'createAuthenticator']],
    async (adapter) => {
      const victim = await newUser(adapter)
      const { id } = victim
      const lookalikes = [
        `${id}\0`,
        `${id}\0x`,
        `${id}\ud800`,
        `${id} `,
        ` ${id}`,
        `${id}\n`,
        `${id}x`,
        id.toUpperCase(),
        `0${id}`,
        `${id}%`,
        // The beginning of a number may be another user's id.
        ...(/^\d+$/.test(id) ? [] : [id.slice(0, -1)]),
      ]
      for (const userId of lookalikes.filter((other) => other !== id)) {
        const { account, session, authenticator } = await furnish({}, {}, { ...victim, id: userId })
        await successes<unknown>(
          [adapter.linkAccount?.(account), adapter.createSession?.(session), adapter.createAuthenticator?.(authenticator)].filter(
            (each) => each !== undefined,
          ),
        )
        const what = `of a row of the user ${show(userId)}`
        if (adapter.getUserByAccount) isNull(await adapter.getUserByAccount(keyOfAccount(account)), `getUserByAccount ${what}`)
        if (adapter.getSessionAndUser) isNull(await adapter.getSessionAndUser(session.sessionToken), `getSessionAndUser ${what}`)
        if (adapter.listAuthenticatorsByUserId)
          equal(
            isList(await adapter.listAuthenticatorsByUserId(id), 'listAuthenticatorsByUserId').length,
            0,
            `listAuthenticatorsByUserId ${what}: how many`,
          )
      }
    },
  ),
]

/** The list of a user's authenticators holds the one that it has. */
async function expectOnlyOwn(adapter: Subject, { user }: World): Promise<void> {
  if (!adapter.listAuthenticatorsByUserId || !adapter.createAuthenticator) return
  const what = 'listAuthenticatorsByUserId of a user whose id begins like others'
  equal(isList(await adapter.listAuthenticatorsByUserId(user.id), what).length, 1, `${what}: how many`)
}
