import type { AdapterAccount, AdapterAuthenticator, AdapterSession, AdapterUser, VerificationToken } from '../models.js'
import { optionalTexts } from '../models.js'
import { fail, isAccount, isAuthenticator, isNothing, isSession, isToken, isUser, settled } from './expect.js'
import { inDays, someAccount, someAuthenticator, someSession, someToken, someTokens, someUser } from './fixtures.js'
import { show } from './show.js'
import type { OperationName, Subject } from './subject.js'
import { expectUser } from './views.js'
import { idOf, keyOfAccount, keyOfToken, newUser } from './world.js'

type Fields = Record<string, unknown>

/** A row that is about to be written. */
interface Begun {
  /** The row as it is meant. */
  row: Fields
  write(): Promise<unknown>
  /** What lookups find of it once it was written; what was returned may be needed to find it. */
  find(returned?: unknown): Promise<unknown[]>
  /** Expects that nothing was written. */
  expectUntouched(when: string): Promise<void>
  expect(actual: unknown, row: Fields, what: string): void
  /** What else must be true once it was written. */
  expectMore?(what: string): Promise<void>
}

/** An operation that writes a row. */
export interface Write {
  operation: OperationName
  /** The text fields that name the row. */
  keys: readonly string[]
  /** The other text fields. */
  texts: readonly string[]
  /** Text fields that do not hold every text. */
  doubtful?: readonly string[]
  begin(adapter: Subject, over: Fields): Promise<Begun>
}

const found = async (lookups: (Promise<unknown> | undefined)[]) => Promise.all(lookups.filter((lookup) => lookup !== undefined))

/** A row that can be found by what it was given. */
function creation<Row extends object>(
  row: Row,
  over: Fields,
  write: ((row: Row) => Promise<unknown>) | undefined,
  find: (row: Row) => Promise<unknown[]>,
  expect: (actual: unknown, row: Row, what: string) => void,
): Begun {
  const given = { ...row, ...over } as Row
  return {
    row: given as Fields,
    write: async () => write?.(given),
    find: () => find(given),
    async expectUntouched(when) {
      // Where a field of the key is missing, there is nothing to look for.
      for (const each of await settled(find(given)).then((result) => ('value' in result ? result.value : []))) isNothing(each, when)
    },
    expect: expect as Begun['expect'],
  }
}

export const writes: Record<
  'createUser' | 'updateUser' | 'linkAccount' | 'createSession' | 'createVerificationToken' | 'createAuthenticator',
  Write
> = {
  createUser: {
    operation: 'createUser',
    keys: ['email'],
    texts: ['name', 'image'],
    async begin(adapter, over) {
      const { createUser, getUser, getUserByEmail } = adapter
      const begun = creation<AdapterUser>(someUser(), over, createUser, ({ email }) => found([getUserByEmail?.(email)]), isUser)
      const find = async (returned?: unknown) => [...(await begun.find()), ...(await found([getUser?.(idOf(returned))]))]
      // The id may be of the adapter's own making.
      const expect = (actual: unknown, row: Fields, what: string) => isUser(actual, { ...row, id: idOf(actual) } as AdapterUser, what)
      return { ...begun, find, expect }
    },
  },

  updateUser: {
    operation: 'updateUser',
    keys: ['email'],
    texts: ['name', 'image'],
    async begin(adapter, over) {
      const { updateUser, getUser, getUserByEmail } = adapter
      const user = await newUser(adapter, { emailVerified: inDays(-1) })
      const row = { ...user, ...over }
      return {
        row,
        write: async () => updateUser?.({ id: user.id, ...over }),
        find: () => found([getUser?.(user.id), getUserByEmail?.(row.email)]),
        expectUntouched: (when) => expectUser(adapter, user, when),
        expect: isUser as unknown as Begun['expect'],
      }
    },
  },

  linkAccount: {
    operation: 'linkAccount',
    keys: ['provider', 'providerAccountId'],
    texts: optionalTexts.filter((field) => field !== 'token_type'),
    doubtful: ['token_type'],
    async begin(adapter, over) {
      const { createUser, linkAccount, unlinkAccount, getUserByAccount, getAccount } = adapter
      const user = await newUser(adapter)
      const find = async (account: AdapterAccount) =>
        getAccount
          ? [await getAccount(account.providerAccountId, account.provider)]
          : (await found([unlinkAccount?.(keyOfAccount(account))])).filter((row) => row != null)
      const begun = creation<AdapterAccount>(someAccount(user.id, someTokens()), over, linkAccount, find, isAccount)
      const expectOwner = async (what: string) => {
        const key = keyOfAccount(begun.row as AdapterAccount)
        if (createUser && getUserByAccount) isUser(await getUserByAccount(key), user, `getUserByAccount after ${what}`)
      }
      return { ...begun, expectMore: expectOwner }
    },
  },

  createSession: {
    operation: 'createSession',
    keys: ['sessionToken'],
    texts: [],
    async begin(adapter, over) {
      const { createUser, createSession, getSessionAndUser } = adapter
      const { id } = await newUser(adapter)
      const find = async ({ sessionToken }: AdapterSession) => {
        const both = createUser && (await getSessionAndUser?.(sessionToken))
        return both === undefined ? [] : [both?.session ?? null]
      }
      return creation<AdapterSession>(someSession(id), over, createSession, find, isSession)
    },
  },

  createVerificationToken: {
    operation: 'createVerificationToken',
    keys: ['identifier', 'token'],
    texts: [],
    async begin({ createVerificationToken, useVerificationToken }, over) {
      const find = (token: VerificationToken) => found([useVerificationToken?.(keyOfToken(token))])
      return creation<VerificationToken>(someToken(), over, createVerificationToken, find, isToken)
    },
  },

  createAuthenticator: {
    operation: 'createAuthenticator',
    keys: ['credentialID'],
    texts: ['providerAccountId', 'credentialPublicKey', 'transports'],
    doubtful: ['credentialDeviceType'],
    async begin(adapter, over) {
      const { createAuthenticator, getAuthenticator, listAuthenticatorsByUserId } = adapter
      const { id } = await newUser(adapter)
      // The user is new, and has no other authenticator.
      const list = async () => (await listAuthenticatorsByUserId?.(id))?.[0] ?? null
      const find = ({ credentialID }: AdapterAuthenticator) =>
        found([getAuthenticator?.(credentialID), listAuthenticatorsByUserId && list()])
      return creation<AdapterAuthenticator>(someAuthenticator(id), over, createAuthenticator, find, isAuthenticator)
    },
  },
}

interface Outcomes {
  /** What may be stored in place of what was given, one of these; nothing where it must be refused. */
  stored: readonly Fields[]
  /** Whether it may be refused. */
  refused: boolean
}

/** Writes a row with these fields and expects one of the outcomes, in what is returned and in what is found. */
export async function expectWrite(adapter: Subject, write: Write, over: Fields, { stored, refused }: Outcomes): Promise<void> {
  const what = `${write.operation} with ${show(over)}`
  const begun = await write.begin(adapter, over)
  const result = await settled(begun.write())
  if ('thrown' in result) {
    if (!refused) fail(`${what}: expected it to be stored, but it threw ${show(result.thrown)}`)
    return begun.expectUntouched(`lookup after ${what} was refused`)
  }
  if (stored.length === 0) fail(`${what}: expected an error, got ${show(result.value)}`)
  await begun.expectMore?.(what)
  // It is the same alternative in all that is seen of the row.
  const seen = [...(result.value == null ? [] : [result.value]), ...(await begun.find(result.value))]
  const complaints = stored.map((alternative) =>
    complaintOf(() => {
      for (const row of seen) begun.expect(row, { ...begun.row, ...alternative }, what)
    }),
  )
  if (complaints.every((complaint) => complaint !== null)) throw complaints[0]
}

function complaintOf(check: () => void): unknown {
  try {
    check()
    return null
  } catch (complaint) {
    return complaint
  }
}

/** Stored as it was given. */
export const asGiven: readonly Fields[] = [{}]
