import type { AdapterUser } from '@auth/core/adapters'
import type { Faults, Row, Store } from './fault.js'
import { all, also, given, on, replacing, rowsOf } from './fault.js'

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
  'updateUser does not store the email': on('updateUser', async ([{ email, ...user }], sound) => ({
    ...(await sound.updateUser(user)),
    ...(email && { email }),
  })),
  'updateUser changes users with the same name': also('updateUser', (store, { id, image }) => {
    const name = store.users.find({ id })?.name
    if (image !== undefined) edit(store, 'users', (user) => user.name === name, { image })
  }),
  'updateUser creates unknown users': on('updateUser', async ([user], sound, { users }) => {
    return users.find(user) ? sound.updateUser(user) : sound.createUser({ emailVerified: null, email: crypto.randomUUID(), ...user })
  }),
  'updateUser returns null for unknown users': on('updateUser', async ([user], sound, { users }) =>
    users.find(user) ? sound.updateUser(user) : null,
  ),
  'updateUser accepts an email that is taken': on('updateUser', async ([user], _, { users }) => {
    const updated = users.update(user)
    if (!updated) throw new Error('not found')
    return updated
  }),
  'updateUser throws without changes': on('updateUser', async ([user], sound) => {
    if (Object.values(user).filter((value) => value !== undefined).length === 1) throw new Error('SET is empty')
    return sound.updateUser(user)
  }),
  'updateUser deletes the tokens of the old email': on('updateUser', async ([user], sound, store) => {
    const before = await sound.getUser(user.id)
    const updated = await sound.updateUser(user)
    if (user.email) drop(store, 'tokens', ({ identifier }) => identifier === before?.email)
    return updated
  }),
  'updateSession changes all sessions of the user': also('updateSession', (store, { sessionToken, expires }) => {
    const session = store.sessions.find({ sessionToken })
    if (session && expires) edit(store, 'sessions', ({ userId }) => userId === session.userId, { expires: new Date(expires) })
  }),
  'updateSession creates unknown sessions': on('updateSession', async ([session], sound, { sessions }) => {
    if (sessions.find(session) || !session.expires) return sound.updateSession(session)
    return sessions.insert({ userId: '', ...session })
  }),
  'updateSession only extends': on('updateSession', async ([session], sound, { sessions }) => {
    const before = sessions.find(session)
    return sound.updateSession(
      before && session.expires && session.expires < before.expires ? { ...session, expires: before.expires } : session,
    )
  }),
  'updateSession ignores small changes': on('updateSession', async ([session], sound, { sessions }) => {
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
  'useVerificationToken keeps the token': on('useVerificationToken', async ([key], _, { tokens }) => tokens.find(key)),
  'useVerificationToken deletes all tokens of the identifier': also('useVerificationToken', (store, { identifier }) =>
    drop(store, 'tokens', (row) => row.identifier === identifier),
  ),
  'useVerificationToken deletes tokens by identifier if the token is wrong': on('useVerificationToken', async ([key], sound, store) => {
    const used = await sound.useVerificationToken(key)
    if (!used) drop(store, 'tokens', ({ identifier }) => identifier === key.identifier)
    return used
  }),
  'updateAuthenticatorCounter stores nothing': on('updateAuthenticatorCounter', async ([id, counter], _, { authenticators }) => {
    const row = authenticators.find({ credentialID: id })
    if (!row) throw new Error('not found')
    return { ...row, counter }
  }),
  'updateAuthenticatorCounter never decreases': on('updateAuthenticatorCounter', async ([id, counter], sound) =>
    sound.updateAuthenticatorCounter(id, Math.max(counter, (await sound.getAuthenticator(id))?.counter ?? 0)),
  ),
  'updateAuthenticatorCounter returns null for unknown credentials': on('updateAuthenticatorCounter', async ([id, counter], sound) =>
    (await sound.getAuthenticator(id)) ? sound.updateAuthenticatorCounter(id, counter) : null,
  ),
  'updateAuthenticatorCounter changes all authenticators of the user': also('updateAuthenticatorCounter', (store, id, counter) => {
    const userId = store.authenticators.find({ credentialID: id })?.userId
    edit(store, 'authenticators', (row) => row.userId === userId, { counter })
  }),
}

const creations: Faults = {
  'createSession replaces a row with the same key': replacing('createSession', 'sessions'),
  'linkAccount replaces a row with the same key': replacing('linkAccount', 'accounts'),
  'createAuthenticator replaces a row with the same key': replacing('createAuthenticator', 'authenticators'),
  'createUser replaces a row with the same key': replacing('createUser', 'users'),
  'createUser accepts an email that is taken': on('createUser', async ([user], _, { users }) =>
    users.insert({ ...user, id: user.id ?? crypto.randomUUID() }),
  ),
  'createUser needs an id': on('createUser', async ([user], sound) =>
    user.id ? sound.createUser(user) : Promise.reject(new Error('id is missing')),
  ),
  'createUser counts users for the next id': on('createUser', async ([user], sound, { users }) =>
    sound.createUser({ ...user, id: String(users.rows.size + 1) }),
  ),
  'createUser rejects unknown properties': on('createUser', async ([user], sound) =>
    'locale' in user ? Promise.reject(new Error('unknown column')) : sound.createUser(user),
  ),
  'createUser changes its argument': on('createUser', async ([user], sound) => {
    const created = await sound.createUser(user)
    return Object.assign(user, created)
  }),
  'linkAccount moves the account of another user': on('linkAccount', async ([account], sound, { accounts }) => {
    return accounts.find(account) ? accounts.update(account) : sound.linkAccount(account)
  }),
  'linkAccount allows one account per provider': on('linkAccount', async ([account], sound, store) => {
    drop(store, 'accounts', ({ userId, provider }) => userId === account.userId && provider === account.provider)
    return sound.linkAccount(account)
  }),
  'createSession allows one session per user': on('createSession', async ([session], sound, { sessions }) => {
    if (sessions.all(({ userId }) => userId === session.userId).length > 0) throw new Error('duplicate')
    return sound.createSession(session)
  }),
}

/** deleteUser that keeps the rows of the user after the first ones. */
const keeping = (name: 'accounts' | 'sessions' | 'authenticators', first = 0) =>
  on('deleteUser', async ([id], sound, store) => {
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
  'deleteUser deletes accounts with the same id of others': on('deleteUser', async ([id], sound, store) => {
    const ids = rowsOf(store, 'accounts')
      .filter(({ userId }) => userId === id)
      .map(({ providerAccountId }) => providerAccountId)
    drop(store, 'accounts', ({ providerAccountId }) => ids.includes(providerAccountId))
    return sound.deleteUser(id)
  }),
  'deleteUser deletes every verification token': also('deleteUser', ({ tokens }) => tokens.rows.clear()),
  'deleteUser throws for unknown users': on(
    'deleteUser',
    async ([id], sound) => (await sound.deleteUser(id)) ?? Promise.reject(new Error('not found')),
  ),
  'deleteUser deletes users whose ids begin alike': also(
    'deleteUser',
    (store, id) => id && drop(store, 'users', (user) => String(user.id).startsWith(id)),
  ),
  'deleteUser blocks the email': all(
    on('deleteUser', async ([id], sound, { users }) => {
      const user = users.find({ id })
      const deleted = await sound.deleteUser(id)
      if (user) users.insert({ ...user, id: `deleted ${id}` })
      return deleted
    }),
    on('getUserByEmail', async ([email], sound) => {
      const user = await sound.getUserByEmail(email)
      return user?.id.startsWith('deleted') ? null : user
    }),
  ),
  'deleteSession deletes all sessions of the user': on('deleteSession', async ([token], sound, store) => {
    const session = await sound.deleteSession(token)
    if (session) drop(store, 'sessions', ({ userId }) => userId === session.userId)
    return session
  }),
  'deleteSession deletes sessions with the same expiry': on('deleteSession', async ([token], sound, store) => {
    const session = await sound.deleteSession(token)
    if (session) drop(store, 'sessions', ({ expires }) => (expires as Date).getTime() === session.expires.getTime())
    return session
  }),
  'deleteSession throws for unknown tokens': on(
    'deleteSession',
    async ([token], sound) => (await sound.deleteSession(token)) ?? Promise.reject(new Error('not found')),
  ),
  'unlinkAccount deletes all accounts of the user': on('unlinkAccount', async ([key], sound, store) => {
    const account = store.accounts.find(key)
    await sound.unlinkAccount(key)
    if (account) drop(store, 'accounts', ({ userId }) => userId === account.userId)
  }),
  'unlinkAccount deletes the user of the last account': on('unlinkAccount', async ([key], sound, store) => {
    const account = await sound.unlinkAccount(key)
    if (account && rowsOf(store, 'accounts').every(({ userId }) => userId !== account.userId)) await sound.deleteUser(account.userId)
    return account
  }),
}

export const effectFaults: Faults = { ...updates, ...creations, ...deletions }
