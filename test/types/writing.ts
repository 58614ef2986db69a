// An app's calls: added columns are written beside those of the contract, and a misspelt one is an error.
import { defined, ownUsers, written } from './columns/pg.js'

const expires = new Date()
const account = { userId: '1', type: 'oauth', provider: 'github', providerAccountId: '1' } as const
const session = { sessionToken: 'secret', userId: '1', expires }
const token = { identifier: 'ada@example.com', token: 'hash', expires }
const passkey = {
  credentialID: 'AQ',
  userId: '1',
  providerAccountId: 'AQ',
  credentialPublicKey: 'AQ',
  counter: 0,
  credentialDeviceType: 'singleDevice',
  credentialBackedUp: false,
}

// The id is optional: the adapter or the database makes it.
defined.createUser({ email: 'ada@example.com' })
defined.createUser({ id: '1', email: 'ada@example.com', emailVerified: null })

defined.createUser({ email: 'ada@example.com', role: 'admin', age: 36, tenant: 'analytical' })
defined.updateUser({ id: '1', role: 'admin', age: null })
defined.linkAccount({ ...account, note: 'work', linkedBy: 'ada' })
defined.createSession({ ...session, device: 'phone', visits: 1, lastSeen: new Date() })
defined.updateSession({ sessionToken: 'secret', visits: 2, lastSeen: null })
defined.createVerificationToken({ ...token, purpose: 'invitation', attempts: 0 })
defined.createAuthenticator({ ...passkey, label: 'key ring', trusted: true })
ownUsers.createUser({ email: 'ada@example.com', role: 'admin', age: 36, tenant: 'analytical' })
written.createUser({ email: 'ada@example.com', role: 'admin', age: 36, tenant: 'analytical' })

// @ts-expect-error a misspelt column
defined.createUser({ email: 'ada@example.com', rol: 'admin' })
// @ts-expect-error a misspelt column
defined.linkAccount({ ...account, notes: 'work' })
// @ts-expect-error a misspelt column
defined.updateSession({ sessionToken: 'secret', visit: 2 })

// @ts-expect-error a number where text belongs
defined.createUser({ email: 'ada@example.com', role: 1 })
// @ts-expect-error null where the column takes none
defined.createUser({ email: 'ada@example.com', tenant: null })
// @ts-expect-error the database computes this column
defined.createUser({ email: 'ada@example.com', handle: 'ada' })
// @ts-expect-error the email is missing
defined.createUser({ role: 'admin' })
// @ts-expect-error the id is missing
defined.updateUser({ role: 'admin' })
// @ts-expect-error another table's column
defined.createSession({ ...session, role: 'admin' })
