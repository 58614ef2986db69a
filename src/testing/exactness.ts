import { casesAbout } from './case.js'
import { equal, isAccount, isNull, isToken, isUser, settled, successes } from './expect.js'
import { random, someAccount, someToken, unique } from './fixtures.js'
import { call, keyedOperations, keyOf } from './keys.js'
import { show } from './show.js'
import type { Subject } from './subject.js'
import { expectUser, expectWorld, isList, lookAround } from './views.js'
import type { World } from './world.js'
import { furnish, keyOfAccount, keyOfToken, newUser } from './world.js'

const contractCase = casesAbout('exactness')

// Whatever could be put between two keys that are joined into one.
const separators = ['', ':', '::', '|', '||', '/', '-', '_', '__', ',', ' ', '.', '#', ';', '&', '@', '~', '\t', '\n', '","']

/** Two pairs of texts that are the same text when they are joined, in either order. */
function pairsJoinedBy(separator: string): [first: [string, string], second: [string, string]] {
  const name = `n${random(12)}`
  const [two, three] = [[name, name].join(separator), [name, name, name].join(separator)]
  return [
    [two, two],
    [name, three],
  ]
}

export const exactnessCases = [
  contractCase('a provider and an account id are two keys, however they are joined', ['linkAccount'], async (adapter) => {
    const [ada, bob] = [await newUser(adapter), await newUser(adapter)]
    for (const separator of separators) {
      const [one, other] = pairsJoinedBy(separator)
      const first = someAccount(ada.id, { provider: one[0], providerAccountId: one[1] })
      const second = someAccount(bob.id, { provider: other[0], providerAccountId: other[1] })
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
        const [one, other] = pairsJoinedBy(separator)
        const first = someToken({ identifier: one[0], token: one[1] })
        const second = someToken({ identifier: other[0], token: other[1] })
        await adapter.createVerificationToken(first)
        isNull(await adapter.useVerificationToken(keyOfToken(second)), `useVerificationToken(${show(keyOfToken(second))})`)
        await adapter.createVerificationToken(second)
        isToken(await adapter.useVerificationToken(keyOfToken(first)), first, 'useVerificationToken')
        isToken(await adapter.useVerificationToken(keyOfToken(second)), second, 'useVerificationToken')
      }
    },
  ),

  contractCase(
    'the hash of a session token or a verification token does not work in its place',
    [['getSessionAndUser', 'updateSession', 'deleteSession', 'useVerificationToken']],
    async (adapter) => {
      const world = await furnish(adapter)
      for (const { operation, fields, parameters, expectNothing } of keyedOperations) {
        const field = fields.find((each) => each === 'sessionToken' || each === 'token')
        if (!field || !(operation in adapter)) continue
        const key = keyOf(world, fields)
        for (const hash of await hashesOf(key[field] as string)) {
          const found = call(adapter, operation, parameters({ ...key, [field]: hash }))
          await expectNothing(found, `${operation} by the SHA-256 hash of its ${field}`)
        }
      }
      await expectWorld(adapter, world, 'after lookups by hashes')
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
      const lookalikes: unknown[] = [
        [id],
        { toString: () => id },
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
        const { account, session, authenticator } = await furnish({}, {}, { ...victim, id: userId as string })
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

  contractCase('updateUser changes an address by its case alone', ['createUser', 'updateUser'], async (adapter) => {
    const user = await newUser(adapter)
    const changed = { ...user, email: user.email.toUpperCase() }
    isUser(await adapter.updateUser({ id: user.id, email: changed.email }), changed, 'updateUser to upper case')
    await expectUser(adapter, changed, 'after updateUser to upper case')
    if (adapter.getUserByEmail) isNull(await adapter.getUserByEmail(user.email), 'getUserByEmail of the address in lower case')
  }),
]

/** The SHA-256 hash of a text, as it is usually written. */
async function hashesOf(text: string): Promise<string[]> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  const base64 = btoa(String.fromCharCode(...bytes))
  return [hex, base64, base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')]
}

/** The list of a user's authenticators holds the one that it has. */
async function expectOnlyOwn(adapter: Subject, { user }: World): Promise<void> {
  if (!adapter.listAuthenticatorsByUserId || !adapter.createAuthenticator) return
  const what = 'listAuthenticatorsByUserId of a user whose id begins like others'
  equal(isList(await adapter.listAuthenticatorsByUserId(user.id), what).length, 1, `${what}: how many`)
}
