import { casesAbout } from './case.js'
import { isSessionAndUser, settled } from './expect.js'
import { random, someAccount, someSession, unique, uniqueDigits, uniqueNumber } from './fixtures.js'
import type { KeyField } from './keys.js'
import { expectNothingBy, keyedOperations, keyOf } from './keys.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import { expectUser, expectWorld } from './views.js'
import type { World } from './world.js'
import { furnish, newUser } from './world.js'
import { asGiven, expectWrite, writes } from './writes.js'

const contractCase = casesAbout('exactness')
const storageCase = casesAbout('storage')

/** A text, and others that a loose comparison takes for it. */
function lookalikes(): { key: string; others: string[] } {
  // Without a dash, as base64 is.
  const key = `Jos\u00e9.Ki\u00dfling+a/b${random(32)}@Example.COM==`
  return { key, others: lookalikesOf(key) }
}

function lookalikesOf(key: string): string[] {
  return [...new Set(othersOf(key))].filter((other) => other !== key)
}

function othersOf(key: string): string[] {
  if (/^\d+$/.test(key)) return sameNumber(key)
  if (key.endsWith(mailbox)) return sameMailbox(key)
  if (key.endsWith(domain)) return sameAddress(key)
  return [...folded(key), ...mistaken(key)]
}

const mailbox = '@gmail.com'
const domain = '@m\u00fcnchen.example'

/** Other ways to write an address: for the name system, as a link, and in the header of a message. */
const sameAddress = (key: string) => [
  key.replace(domain, '@xn--mnchen-3ya.example'),
  `mailto:${key}`,
  `<${key}>`,
  `Ada <${key}>`,
  key.replace(/^(.*)@/, '"$1"@'),
  key.replace('@', '(Ada)@'),
  `${key}.`,
]

/** Other addresses of a mailbox. To send to one is not to have signed up with it. */
const sameMailbox = (key: string) => {
  const name = key.slice(0, -mailbox.length)
  return [name.replaceAll('.', '') + mailbox, `${name}+x${mailbox}`, `${name}@googlemail.com`]
}

/** Other ways to write a number, and the one that floating point takes for it. */
function sameNumber(key: string): string[] {
  const [padded, signed, fraction] = [`0${key}`, `+${key}`, `${key}.0`]
  return [
    padded,
    signed,
    fraction,
    `${key}e0`,
    `0x${BigInt(key).toString(16)}`,
    `${key}n`,
    ` ${key}`,
    `${key} `,
    `${key}\n`,
    `-${key}`,
    `${key}x`,
    `${BigInt(key) - 1n}`,
  ]
}

/** Texts that collations and normal forms take for one another. */
const folded = (key: string) => [
  key.toUpperCase(),
  key.toLowerCase(),
  key.replace(/@.*/, (domain) => domain.toLowerCase()),
  key.replace('\u00e9', 'e'),
  key.replace('\u00df', 'ss'),
  key.replace('J', '\uff2a'),
  key.normalize('NFD'),
  `${key} `,
  ` ${key}`,
  `${key}\u200b`,
]

/** Texts that patterns, parsers and encodings take for one another. */
const mistaken = (key: string) => [
  key.replace('K', '\u212a'),
  key.replace('i', '\u0131'),
  key.replaceAll('.', ''),
  key.replaceAll('-', ''),
  key.replace('.', '-.'),
  key.replace(/\+a/, ''),
  key.replaceAll('+', ' '),
  key.replaceAll('+', '-').replaceAll('/', '_'),
  key.replace(/=+$/, ''),
  encodeURIComponent(key),
  JSON.stringify(key),
  ...['\t', '\n', '\u00a0', '\0', '%', '*', 'x', '?x', '#x', '/x', ';x', '&x=y', ', x', '.0'].map((end) => key + end),
  ...['%', 'x', '0', '+'].map((beginning) => beginning + key),
  ...['%', '_', '?', '.', ''].map((end) => key.slice(0, -1) + end),
  `${key.slice(0, -6)}%`,
  key.slice(1),
]

/** No operation that finds its row by this field takes a lookalike of it. */
function noLookalike(name: string, field: KeyField, needs: OperationName, worldOf: (adapter: Subject, key: string) => Promise<World>) {
  const operations = keyedOperations.filter(({ fields }) => fields.includes(field))
  return contractCase(name, [needs, operations.map(({ operation }) => operation)], async (adapter) => {
    const texts = [lookalikes().key, unique('ada.lovelace') + mailbox, String(uniqueNumber()), uniqueDigits()]
    if (field === 'email' || field === 'identifier') texts.push(unique('ada') + domain)
    for (const text of texts) {
      const world = await worldOf(adapter, text)
      for (const keyed of operations) {
        if (!(keyed.operation in adapter)) continue
        const key = keyOf(world, keyed.fields)
        const others = lookalikesOf(key[field] as string).map((other) => ({ ...key, [field]: other }))
        await expectNothingBy(adapter, keyed, others)
      }
      await expectWorld(adapter, world, `after lookups by lookalikes of its ${field}`)
    }
  })
}

export const lookalikeCases = [
  noLookalike('no lookalike of an email address finds its user', 'email', 'createUser', async (adapter, email) =>
    furnish(adapter, {}, await newUser(adapter, { email })),
  ),
  noLookalike('no lookalike of a user id finds, changes or deletes the user', 'id', 'createUser', async (adapter, id) => {
    // An adapter may make ids of its own, or take only those of a certain form.
    const created = await settled(newUser(adapter, { id }))
    return furnish(adapter, {}, 'value' in created ? created.value : await newUser(adapter))
  }),
  noLookalike(
    'no lookalike of an account id finds or unlinks the account',
    'providerAccountId',
    'linkAccount',
    (adapter, providerAccountId) => furnish(adapter, { account: { providerAccountId } }),
  ),
  noLookalike('no lookalike of a provider finds or unlinks its account', 'provider', 'linkAccount', (adapter, provider) =>
    furnish(adapter, { account: { provider } }),
  ),
  noLookalike(
    'no lookalike of a session token finds, changes or deletes the session',
    'sessionToken',
    'createSession',
    (adapter, sessionToken) => furnish(adapter, { session: { sessionToken } }),
  ),
  noLookalike('no lookalike of a verification token uses it', 'token', 'createVerificationToken', (adapter, token) =>
    furnish(adapter, { token: { token } }),
  ),
  noLookalike('no lookalike of an address uses its verification token', 'identifier', 'createVerificationToken', (adapter, identifier) =>
    furnish(adapter, { token: { identifier } }),
  ),
  noLookalike(
    'no lookalike of a credential id finds or changes the authenticator',
    'credentialID',
    'createAuthenticator',
    (adapter, credentialID) => furnish(adapter, { authenticator: { credentialID } }),
  ),

  ...Object.values(writes).map((write) =>
    contractCase(
      `${write.operation} with a lookalike of a taken key is refused, or makes a row of its own`,
      write.operation === 'updateUser' ? ['createUser', write.operation] : [write.operation],
      async (adapter) => {
        for (const name of write.keys) {
          const [key, number, digits] = [lookalikes().key, String(uniqueNumber()), uniqueDigits()]
          for (const value of [key, ...folded(key), number, ...sameNumber(number), digits, ...sameNumber(digits)])
            await expectWrite(adapter, write, { [name]: value }, { stored: asGiven, refused: true })
        }
      },
    ),
  ),

  storageCase('lookalikes of an email address can be users of their own', ['createUser'], async (adapter) => {
    const { key, others } = lookalikes()
    for (const email of [key, ...storable(others)]) {
      const user = await newUser(adapter, { email })
      await expectUser(adapter, user, `of the address ${show(email)}`)
    }
  }),

  storageCase('lookalikes of an account id can be accounts of their own', ['linkAccount'], async (adapter) => {
    const { key, others } = lookalikes()
    const user = await newUser(adapter)
    const { user: _, ...rest } = await furnish({}, {}, user)
    const accounts = [key, ...storable(others)].map((providerAccountId) =>
      someAccount(user.id, { providerAccountId, access_token: providerAccountId }),
    )
    for (const account of accounts) await adapter.linkAccount(account)
    for (const account of accounts)
      await expectWorld(adapter, { ...rest, user, account }, `of the account id ${show(account.providerAccountId)}`, {
        ignored: ['session', 'authenticator', 'token'],
      })
  }),

  storageCase(
    'lookalikes of a session token can be sessions of their own',
    ['createUser', 'createSession', 'getSessionAndUser'],
    async (adapter) => {
      const { key, others } = lookalikes()
      const user = await newUser(adapter)
      const sessions = [key, ...storable(others)].map((sessionToken) => someSession(user.id, { sessionToken }))
      for (const session of sessions) await adapter.createSession(session)
      for (const session of sessions)
        isSessionAndUser(
          await adapter.getSessionAndUser(session.sessionToken),
          session,
          user,
          `getSessionAndUser(${show(session.sessionToken)})`,
        )
    },
  ),
]

// NUL is refused by some databases, in whatever column.
const storable = (texts: string[]) => texts.filter((text) => !text.includes('\0'))
