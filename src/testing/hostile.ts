import { casesAbout } from './case.js'
import type { What } from './expect.js'
import { isNothing, isNull, ok, said, settled } from './expect.js'
import { inDays, someAccount, someToken, unique } from './fixtures.js'
import type { Key } from './keys.js'
import { call, expectNothingBy, keyedOperations, keyOf, replacedIn } from './keys.js'
import { show } from './show.js'
import { expectWorld } from './views.js'
import { furnish, keyOfToken, newUser } from './world.js'

const contractCase = casesAbout('hostile input')

/** Found nothing, or refused to look: of a key that is no text, both are right. */
async function expectNothingOrError(call: Promise<unknown>, what: What): Promise<void> {
  const result = await settled(call)
  if ('value' in result)
    ok(
      Array.isArray(result.value) ? result.value.length === 0 : result.value == null,
      () => `${said(what)}: expected nothing or an error, got ${show(result.value)}`,
    )
}

// As query builders of other databases understand them, and what turns into text by itself.
const objects = (text: string): unknown[] => [
  {},
  [],
  [text],
  { $ne: null },
  { $gt: '' },
  { $regex: '' },
  { not: '' },
  { contains: '' },
  { toString: () => text },
  { toJSON: () => text },
  new String(text),
  () => text,
  /(?:)/,
  new Date(),
  true,
  false,
  Number.NaN,
  -7,
  0.5,
]

const cannotBeStored = (text: string) => [
  `${text}\0`,
  `${text}\0.example.com`,
  `\0${text}`,
  '\0',
  `${text}\ud800`,
  '\ud800',
  'a\udfffb',
  '\udc00\ud800',
  'x'.repeat(100_000),
  `${text}${' '.repeat(5_000)}`,
  `${text}${'x'.repeat(5_000)}`,
]

const lookups = keyedOperations.flatMap(({ operation, fields, parameters, expectNothing }) => [
  contractCase(`${operation} by undefined, null, an empty or a missing key touches no row`, [operation], async (adapter) => {
    const world = await furnish(adapter)
    const key = keyOf(world, fields)
    const without = (field: string): Key => Object.fromEntries(Object.entries(key).filter(([name]) => name !== field))
    const incomplete = [
      ...replacedIn(key, () => undefined),
      ...replacedIn(key, () => null),
      ...replacedIn(key, () => ''),
      ...Object.keys(key).map(without),
      Object.fromEntries(Object.keys(key).map((name) => [name, undefined])),
      {},
    ]
    for (const each of incomplete)
      await expectNothingOrError(call(adapter, operation, parameters(each)), () => `${operation} by ${show(each)}`)
    await expectNothingOrError(call(adapter, operation, []), `${operation} without parameters`)
    await expectWorld(adapter, world, `after ${operation} by undefined`)
  }),

  contractCase(`${operation} by a key that is no text touches no row`, [operation], async (adapter) => {
    const world = await furnish(adapter)
    const key = keyOf(world, fields)
    for (const index of objects('').keys()) {
      for (const each of replacedIn(key, (text) => objects(text)[index]))
        await expectNothingOrError(call(adapter, operation, parameters(each)), () => `${operation} by ${show(each)}`)
    }
    await expectWorld(adapter, world, `after ${operation} by no text`)
  }),

  contractCase(`${operation} by text that cannot be stored finds nothing`, [operation], async (adapter) => {
    const world = await furnish(adapter)
    const key = keyOf(world, fields)
    for (const index of cannotBeStored('').keys()) {
      for (const each of replacedIn(key, (text) => cannotBeStored(text)[index]))
        await expectNothing(call(adapter, operation, parameters(each)), () => `${operation} by ${show(each)}`)
    }
    await expectWorld(adapter, world, `after ${operation} by text that cannot be stored`)
  }),
])

const injections = [
  `' OR '1'='1`,
  `" OR ""="`,
  `\\' OR 1=1 -- `,
  `\u0127 OR 1=1 -- `,
  `x'; DROP TABLE "user"; --`,
  '%',
  '_',
  '*',
  '?',
  '.*',
  '$1',
  ':sessionToken',
  '${1}',
  '`',
  '\\',
  '/**/',
  '../',
  '..',
  '.',
  '\r\n',
  '[object Object]',
]

// In a plain object that is used as a dictionary, all of these are there from the start.
const properties = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', 'length', 'then']

/** Each operation that the adapter has, with each field of its key replaced by each of the texts, and with all of them. */
const findsNothingBy = (name: string, texts: readonly string[]) =>
  contractCase(name, [], async (adapter) => {
    const world = await furnish(adapter)
    for (const keyed of keyedOperations) {
      const { operation, fields } = keyed
      if (!(operation in adapter)) continue
      const others = texts.flatMap((text) => {
        const whole = Object.fromEntries(fields.map((field) => [field, text]))
        return fields.length > 1 ? [whole, ...replacedIn(keyOf(world, fields), () => text)] : [whole]
      })
      await expectNothingBy(adapter, keyed, others)
    }
    await expectWorld(adapter, world, 'after lookups by other keys')
  })

export const hostileCases = [
  ...lookups,

  findsNothingBy('quotes, wildcards and comments find nothing', injections),
  findsNothingBy('names of object properties find nothing', properties),

  contractCase('a provider or an address may be called like a property of objects', [], async (adapter) => {
    const user = await newUser(adapter)
    for (const name of properties) {
      const account = someAccount(user.id, { provider: name })
      const token = someToken({ identifier: name, expires: inDays(1) })
      const other = { provider: unique('provider'), providerAccountId: account.providerAccountId }
      await adapter.linkAccount?.(account)
      await adapter.createVerificationToken?.(token)
      const world = await furnish({}, {}, user)
      await expectWorld(adapter, { ...world, account, token }, `of ${name}`, { ignored: ['session', 'authenticator'] })
      if (adapter.getUserByAccount)
        isNull(await adapter.getUserByAccount(other), `getUserByAccount(${show(other)}) beside provider ${name}`)
      if (adapter.getAccount)
        isNull(await adapter.getAccount(other.providerAccountId, other.provider), `getAccount beside provider ${name}`)
      if (adapter.unlinkAccount) isNothing(await adapter.unlinkAccount(other), `unlinkAccount beside provider ${name}`)
      if (adapter.useVerificationToken)
        isNull(
          await adapter.useVerificationToken({ ...keyOfToken(token), identifier: unique('mail') }),
          `useVerificationToken beside ${name}`,
        )
    }
  }),

  contractCase(
    'a property called __proto__ changes no other object',
    [['createUser', 'linkAccount', 'createSession', 'createVerificationToken', 'createAuthenticator']],
    async (adapter) => {
      const name = unique('polluted')
      // An object literal would set the prototype. What a parser makes has a property of that name.
      const extra: object = JSON.parse(`{ "__proto__": { "${name}": true }, "constructor": { "prototype": { "${name}": true } } }`)
      const given = (row: object) => [{ ...row, ...extra }]
      const { user, account, session, authenticator, token } = await furnish({})
      const rows = {
        createUser: user,
        updateUser: user,
        linkAccount: account,
        createSession: session,
        updateSession: session,
        createAuthenticator: authenticator,
        createVerificationToken: token,
      }
      for (const [operation, row] of Object.entries(rows) as [keyof typeof rows, object][]) {
        if (!(operation in adapter)) continue
        // To refuse it is as good as to ignore it.
        await settled(call(adapter, operation, given(row)))
        const isPolluted = name in {}
        Reflect.deleteProperty(Object.prototype, name)
        ok(
          !isPolluted,
          `${operation} with a property called __proto__: expected other objects as they were, got a new property of them all`,
        )
      }
    },
  ),

  contractCase('text that is no Unicode never stands for what it would be stored as', [], async (adapter) => {
    // What careless encoders make of a lone surrogate.
    const text = () => unique('\ufffd')
    const email = text()
    const created = await settled(newUser(adapter, { id: text(), email }))
    const user = 'value' in created ? created.value : await newUser(adapter, { email })
    const over = {
      account: { providerAccountId: text(), provider: text() },
      session: { sessionToken: text() },
      token: { token: text() },
      authenticator: { credentialID: text() },
    }
    const world = await furnish(adapter, over, user)
    for (const { operation, fields, parameters, expectNothing } of keyedOperations) {
      if (!(operation in adapter)) continue
      const key = keyOf(world, fields)
      for (const surrogate of ['\ud800', '\udfff']) {
        for (const field of fields.filter((name) => key[name]?.includes('\ufffd'))) {
          const other = { ...key, [field]: key[field]?.replace('\ufffd', surrogate) }
          await expectNothing(call(adapter, operation, parameters(other)), () => `${operation} by ${show(other)}`)
        }
      }
    }
    await expectWorld(adapter, world, 'after lookups by text that is no Unicode')
  }),
]
