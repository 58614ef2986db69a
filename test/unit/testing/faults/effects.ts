import type { AdapterUser } from '@auth/core/adapters'
import type { Faults, OperationName, Row, Store } from './fault.js'
import { all, also, given, on, rowsOf } from './fault.js'

/** Deletes stored rows. */
const drop = (store: Store, name: keyof Store, matches: (row: Row) => boolean) => {
  for (const [key, row] of store[name].rows as Map<string, object>) if (matches(row as Row)) store[name].rows.delete(key)
}

/** Changes stored rows in place. */
const edit = (store: Store, name: keyof Store, matches: (row: Row) => boolean, fields: Row) => {
  for (const row of rowsOf(store, name)) if (matches(row)) Object.assign(row, fields)
}

/** Writes that do too much or too little. */
const updates: Faults = {
  'updateUser clears fields that are not given': given('updateUser', (user: AdapterUser) => [{ name: null, image: null, ...user }]),
  'updateUser clears fields that are undefined': given('updateUser', (user: AdapterUser) => [
    { ...user, name: user.name === undefined && 'name' in user ? null : user.name },
  ]),
  'updateUser ignores null': given('updateUser', (user: AdapterUser) => [
    Object.fromEntries(Object.entries(user).filter(([, value]) => value !== null)),
  ]),
  'updateUser ignores empty texts': given('updateUser', (user: AdapterUser) => [{ ...user, name: user.name || undefined }]),
  'updateUser ignores emailVerified': given('updateUser', ({ emailVerified: _, ...user }: AdapterUser) => [user]),
  'updateUser does not store the email': on('updateUser', (sound) => async ({ email, ...user }) => ({
    ...(await sound.updateUser(user)),
    ...(email && { email }),
  })),
  'updateUser changes users with the same name': also('updateUser', (store, { id, image }) => {
    const name = store.users.find({ id })?.name
    if (image !== undefined) edit(store, 'users', (user) => user.name === name, { image })
  }),
  'updateUser creates unknown users': on('updateUser', (sound, { users }) => async (user) => {
    return users.find(user) ? sound.updateUser(user) : sound.createUser({ emailVerified: null, email: crypto.randomUUID(), ...user })
  }),
  'updateUser returns null for unknown users': on(
    'updateUser',
    (sound, { users }) =>
      async (user) =>
        users.find(user) ? sound.updateUser(user) : null,
  ),
  'updateUser accepts an email that is taken': on('updateUser', (_, { users }) => async (user) => {
    const updated = users.update(user)
    if (!updated) throw new Error('not found')
    return updated
  }),
  'updateUser throws without changes': on('updateUser', (sound) => async (user) => {
    if (Object.values(user).filter((value) => value !== undefined).length === 1) throw new Error('SET is empty')
    return sound.updateUser(user)
  }),
  'updateUser deletes the tokens of the old email': on('updateUser', (sound, store) => async (user) => {
    const before = await sound.getUser(user.id)
    const updated = await sound.updateUser(user)
    if (user.email) drop(store, 'tokens', ({ identifier }) => identifier === before?.email)
    return updated
  }),
  'updateSession changes all sessions of the user': also('updateSession', (store, { sessionToken, expires }) => {
    const session = store.sessions.find({ sessionToken })
    if (session && expires) edit(store, 'sessions', ({ userId }) => userId === session.userId, { expires: new Date(expires) })
  }),
  'updateSession creates unknown sessions': on('updateSession', (sound, { sessions }) => async (session) => {
    if (sessions.find(session) || !session.expires) return sound.updateSession(session)
    return sessions.insert({ userId: '', ...session })
  }),
  'updateSession only extends': on('updateSession', (sound, { sessions }) => async (session) => {
    const before = sessions.find(session)
    return sound.updateSession(
      before && session.expires && session.expires < before.expires ? { ...session, expires: before.expires } : session,
    )
  }),
  'updateSession ignores small changes': on('updateSession', (sound, { sessions }) => async (session) => {
    const before = sessions.find(session)
    const isSmall = before && session.expires && Math.abs(session.expires.getTime() - before.expires.getTime()) < 2_000
    return isSmall ? before : sound.updateSession(session)
  }),
  'updateSession ignores userId': given('updateSession', ({ userId: _, ...session }: Row) => [session]),
  'getSessionAndUser extends the session': also('getSessionAndUser', (store, token) =>
    edit(store, 'sessions', ({ sessionToken }) => sessionToken === token, { expires: new Date('2050-01-01') }),
  ),
  'getSessionAndUser deletes expired sessions': also('getSessionAndUser', (store) =>
    drop(store, 'sessions', ({ expires }) => (expires as Date) < new Date()),
  ),
  'createSession deletes other sessions of the user': also('createSession', (store, { userId, sessionToken }) =>
    drop(store, 'sessions', (row) => row.userId === userId && row.sessionToken !== sessionToken),
  ),
  'createVerificationToken deletes older tokens of the identifier': also('createVerificationToken', (store, { identifier, token }) =>
    drop(store, 'tokens', (row) => row.identifier === identifier && row.token !== token),
  ),
  'useVerificationToken keeps the token': on(
    'useVerificationToken',
    (_, { tokens }) =>
      async (key) =>
        tokens.find(key),
  ),
  'useVerificationToken deletes all tokens of the identifier': also('useVerificationToken', (store, { identifier }) =>
    drop(store, 'tokens', (row) => row.identifier === identifier),
  ),
  'useVerificationToken deletes tokens by identifier if the token is wrong': on('useVerificationToken', (sound, store) => async (key) => {
    const used = await sound.useVerificationToken(key)
    if (!used) drop(store, 'tokens', ({ identifier }) => identifier === key.identifier)
    return used
  }),
  'updateAuthenticatorCounter stores nothing': on('updateAuthenticatorCounter', (_, { authenticators }) => async (id, counter) => {
    const row = authenticators.find({ credentialID: id })
    if (!row) throw new Error('not found')
    return { ...row, counter }
  }),
  'updateAuthenticatorCounter never decreases': on(
    'updateAuthenticatorCounter',
    (sound) => async (id, counter) =>
      sound.updateAuthenticatorCounter(id, Math.max(counter, (await sound.getAuthenticator(id))?.counter ?? 0)),
  ),
  'updateAuthenticatorCounter returns null for unknown credentials': on(
    'updateAuthenticatorCounter',
    (sound) => async (id, counter) => ((await sound.getAuthenticator(id)) ? sound.updateAuthenticatorCounter(id, counter) : null),
  ),
  'updateAuthenticatorCounter changes all authenticators of the user': also('updateAuthenticatorCounter', (store, id, counter) => {
    const userId = store.authenticators.find({ credentialID: id })?.userId
    edit(store, 'authenticators', (row) => row.userId === userId, { counter })
  }),
}

/** Inserts that replace what is there. */
const replacing = (operation: OperationName, rows: keyof Store): [string, Faults[string]] => [
  `${operation} replaces a row with the same key`,
  on(operation as 'createSession', (sound, store) => async (row) => {
    store[rows].delete(row)
    return (sound[operation] as typeof sound.createSession)(row)
  }),
]

const creations: Faults = {
  ...Object.fromEntries([
    replacing('createSession', 'sessions'),
    replacing('linkAccount', 'accounts'),
    replacing('createAuthenticator', 'authenticators'),
    replacing('createUser', 'users'),
  ]),
  'createUser accepts an email that is taken': on(
    'createUser',
    (_, { users }) =>
      async (user) =>
        users.insert({ ...user, id: user.id ?? crypto.randomUUID() }),
  ),
  'createUser needs an id': on(
    'createUser',
    (sound) => async (user) => (user.id ? sound.createUser(user) : Promise.reject(new Error('id is missing'))),
  ),
  'createUser counts users for the next id': on(
    'createUser',
    (sound, { users }) =>
      async (user) =>
        sound.createUser({ ...user, id: String(users.rows.size + 1) }),
  ),
  'createUser rejects unknown properties': on(
    'createUser',
    (sound) => async (user) => ('locale' in user ? Promise.reject(new Error('unknown column')) : sound.createUser(user)),
  ),
  'createUser changes its argument': on('createUser', (sound) => async (user) => {
    const created = await sound.createUser(user)
    return Object.assign(user, created)
  }),
  'linkAccount moves the account of another user': on('linkAccount', (sound, { accounts }) => async (account) => {
    return accounts.find(account) ? accounts.update(account) : sound.linkAccount(account)
  }),
  'linkAccount allows one account per provider': on('linkAccount', (sound, store) => async (account) => {
    drop(store, 'accounts', ({ userId, provider }) => userId === account.userId && provider === account.provider)
    return sound.linkAccount(account)
  }),
  'createSession allows one session per user': on('createSession', (sound, { sessions }) => async (session) => {
    if (sessions.all(({ userId }) => userId === session.userId).length > 0) throw new Error('duplicate')
    return sound.createSession(session)
  }),
}

/** deleteUser that keeps the rows of the user after the first ones. */
const keeping = (name: 'accounts' | 'sessions' | 'authenticators', first = 0) =>
  on('deleteUser', (sound, store) => async (id) => {
    const kept = rowsOf(store, name).filter(({ userId }) => userId === id)
    const deleted = await sound.deleteUser(id)
    for (const row of kept.slice(first)) store[name].insert(row)
    return deleted
  })

const deletions: Faults = {
  'deleteUser keeps the accounts': keeping('accounts'),
  'deleteUser keeps the sessions': keeping('sessions'),
  'deleteUser keeps the authenticators': keeping('authenticators'),
  'deleteUser deletes a hundred sessions': keeping('sessions', 100),
  'deleteUser deletes accounts with the same id of others': on('deleteUser', (sound, store) => async (id) => {
    const ids = rowsOf(store, 'accounts')
      .filter(({ userId }) => userId === id)
      .map(({ providerAccountId }) => providerAccountId)
    drop(store, 'accounts', ({ providerAccountId }) => ids.includes(providerAccountId))
    return sound.deleteUser(id)
  }),
  'deleteUser deletes every verification token': also('deleteUser', ({ tokens }) => tokens.rows.clear()),
  'deleteUser throws for unknown users': on(
    'deleteUser',
    (sound) => async (id) => (await sound.deleteUser(id)) ?? Promise.reject(new Error('not found')),
  ),
  'deleteUser deletes users whose ids begin alike': also(
    'deleteUser',
    (store, id) => id && drop(store, 'users', (user) => String(user.id).startsWith(id)),
  ),
  'deleteUser blocks the email': all(
    on('deleteUser', (sound, { users }) => async (id) => {
      const user = users.find({ id })
      const deleted = await sound.deleteUser(id)
      if (user) users.insert({ ...user, id: `deleted ${id}` })
      return deleted
    }),
    on('getUserByEmail', (sound) => async (email) => {
      const user = await sound.getUserByEmail(email)
      return user?.id.startsWith('deleted') ? null : user
    }),
  ),
  'deleteSession deletes all sessions of the user': on('deleteSession', (sound, store) => async (token) => {
    const session = await sound.deleteSession(token)
    if (session) drop(store, 'sessions', ({ userId }) => userId === session.userId)
    return session
  }),
  'deleteSession deletes sessions with the same expiry': on('deleteSession', (sound, store) => async (token) => {
    const session = await sound.deleteSession(token)
    if (session) drop(store, 'sessions', ({ expires }) => (expires as Date).getTime() === session.expires.getTime())
    return session
  }),
  'deleteSession throws for unknown tokens': on(
    'deleteSession',
    (sound) => async (token) => (await sound.deleteSession(token)) ?? Promise.reject(new Error('not found')),
  ),
  'unlinkAccount deletes all accounts of the user': on('unlinkAccount', (sound, store) => async (key) => {
    const account = store.accounts.find(key)
    await sound.unlinkAccount(key)
    if (account) drop(store, 'accounts', ({ userId }) => userId === account.userId)
  }),
  'unlinkAccount deletes the user of the last account': on('unlinkAccount', (sound, store) => async (key) => {
    const account = await sound.unlinkAccount(key)
    if (account && rowsOf(store, 'accounts').every(({ userId }) => userId !== account.userId)) await sound.deleteUser(account.userId)
    return account
  }),
}

export const effectFaults: Faults = { ...updates, ...creations, ...deletions }
