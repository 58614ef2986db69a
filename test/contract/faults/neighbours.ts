import { answering, faultsOf, given, on } from '../fault.js'

export const neighbourFaults = [
  ...faultsOf('neighbours', [
    [
      'updateUser changes everybody of the same name',
      on('updateUser', (sound, { users }) => async (user) => {
        const before = users.find(user)
        const updated = await sound.updateUser(user)
        if (before && user.name)
          for (const other of users.all(({ name }) => name === before.name)) users.update({ id: other.id, name: user.name })
        return updated
      }),
    ],
    [
      'updateUser ends the sessions of the user',
      on('updateUser', (sound, { sessions }) => async (user) => {
        const updated = await sound.updateUser(user)
        for (const session of sessions.all(({ userId }) => userId === updated.id)) sessions.delete(session)
        return updated
      }),
    ],
    [
      'unlinkAccount unlinks every account of that id',
      on('unlinkAccount', (sound, { accounts }) => async (key) => {
        const account = await sound.unlinkAccount(key)
        if (account)
          for (const other of accounts.all(({ providerAccountId }) => providerAccountId === key.providerAccountId)) accounts.delete(other)
        return account
      }),
    ],
    [
      'unlinkAccount unlinks every account of the user',
      on('unlinkAccount', (sound, { accounts }) => async (key) => {
        const account = await sound.unlinkAccount(key)
        if (account) for (const other of accounts.all(({ userId }) => userId === account.userId)) accounts.delete(other)
        return account
      }),
    ],
    [
      'unlinkAccount ends the sessions of the user',
      on('unlinkAccount', (sound, { sessions }) => async (key) => {
        const account = await sound.unlinkAccount(key)
        if (account) for (const session of sessions.all(({ userId }) => userId === account.userId)) sessions.delete(session)
        return account
      }),
    ],
    [
      'unlinkAccount deletes a user with its last account',
      on('unlinkAccount', (sound, { accounts }) => async (key) => {
        const account = await sound.unlinkAccount(key)
        if (account && accounts.all(({ userId }) => userId === account.userId).length === 0) await sound.deleteUser(account.userId)
        return account
      }),
    ],
    [
      'deleteSession deletes a user with its last session',
      on('deleteSession', (sound, { sessions }) => async (token) => {
        const session = await sound.deleteSession(token)
        if (session && sessions.all(({ userId }) => userId === session.userId).length === 0) await sound.deleteUser(session.userId)
        return session
      }),
    ],
    [
      'updateSession prolongs every session of the user',
      on('updateSession', (sound, { sessions }) => async (session) => {
        const updated = await sound.updateSession(session)
        if (updated && session.expires)
          for (const { sessionToken } of sessions.all(({ userId }) => userId === updated.userId))
            sessions.update({ sessionToken, expires: updated.expires })
        return updated
      }),
    ],
    [
      'deleteSession deletes sessions of the user that last for more than 70 days, too',
      on('deleteSession', (sound, { sessions }) => async (token) => {
        const deleted = await sound.deleteSession(token)
        const limit = Date.now() + 70 * 86_400_000
        for (const other of sessions.all(({ userId }) => userId === deleted?.userId))
          if (other.expires.getTime() > limit) sessions.delete(other)
        return deleted
      }),
    ],
    [
      'deleteSession signs the user out everywhere',
      on('deleteSession', (sound, { sessions }) => async (token) => {
        const session = await sound.deleteSession(token)
        if (session) for (const other of sessions.all(({ userId }) => userId === session.userId)) sessions.delete(other)
        return session
      }),
    ],
    [
      'useVerificationToken uses up all tokens of the address',
      on('useVerificationToken', (sound, { tokens }) => async (key) => {
        const token = await sound.useVerificationToken(key)
        if (token) for (const other of tokens.all(({ identifier }) => identifier === token.identifier)) tokens.delete(other)
        return token
      }),
    ],
    [
      'useVerificationToken uses up that token of every address',
      on('useVerificationToken', (sound, { tokens }) => async (key) => {
        const used = await sound.useVerificationToken(key)
        if (used) for (const other of tokens.all(({ token }) => token === used.token)) tokens.delete(other)
        return used
      }),
    ],
    [
      'updateAuthenticatorCounter counts for every authenticator of the user',
      on('updateAuthenticatorCounter', (sound, { authenticators }) => async (id, counter) => {
        const updated = await sound.updateAuthenticatorCounter(id, counter)
        for (const { credentialID } of authenticators.all(({ userId }) => userId === updated.userId))
          authenticators.update({ credentialID, counter })
        return updated
      }),
    ],
    [
      'updateAuthenticatorCounter counts for every authenticator of that account id',
      on('updateAuthenticatorCounter', (sound, { authenticators }) => async (id, counter) => {
        const updated = await sound.updateAuthenticatorCounter(id, counter)
        for (const { credentialID } of authenticators.all((each) => each.providerAccountId === updated.providerAccountId))
          authenticators.update({ credentialID, counter })
        return updated
      }),
    ],
    [
      'deleteUser deletes every account of the same id',
      on('deleteUser', (sound, { accounts }) => async (id) => {
        const ids = accounts.all(({ userId }) => userId === id).map(({ providerAccountId }) => providerAccountId)
        for (const account of accounts.all(({ providerAccountId }) => ids.includes(providerAccountId))) accounts.delete(account)
        return sound.deleteUser(id)
      }),
    ],
    [
      'deleteUser deletes one account',
      on('deleteUser', (_, { users, accounts, sessions, authenticators }) => async (id) => {
        const user = users.delete({ id })
        for (const rows of [sessions, authenticators]) for (const row of rows.all(({ userId }) => userId === user?.id)) rows.delete(row)
        accounts.delete(accounts.all(({ userId }) => userId === user?.id)[0])
        return user
      }),
    ],
    [
      'deleteUser deletes one session',
      on('deleteUser', (_, { users, accounts, sessions, authenticators }) => async (id) => {
        const user = users.delete({ id })
        for (const rows of [accounts, authenticators]) for (const row of rows.all(({ userId }) => userId === user?.id)) rows.delete(row)
        sessions.delete(sessions.all(({ userId }) => userId === user?.id)[0])
        return user
      }),
    ],
    [
      'deleteUser deletes one authenticator',
      on('deleteUser', (_, { users, accounts, sessions, authenticators }) => async (id) => {
        const user = users.delete({ id })
        for (const rows of [accounts, sessions]) for (const row of rows.all(({ userId }) => userId === user?.id)) rows.delete(row)
        authenticators.delete(authenticators.all(({ userId }) => userId === user?.id)[0])
        return user
      }),
    ],
    [
      'deleteUser leaves everything of the user',
      on(
        'deleteUser',
        (_, { users }) =>
          async (id) =>
            users.delete({ id }),
      ),
    ],
    [
      'linkAccount replaces other accounts of the user at the provider',
      on('linkAccount', (sound, { accounts }) => async (account) => {
        for (const other of accounts.all(({ userId, provider }) => userId === account.userId && provider === account.provider))
          accounts.delete(other)
        return sound.linkAccount(account)
      }),
    ],
    [
      'linkAccount takes the address for verified',
      on('linkAccount', (sound, { users }) => async (account) => {
        if (users.find({ id: account.userId })) users.update({ id: account.userId, emailVerified: new Date() })
        return sound.linkAccount(account)
      }),
    ],
    [
      'createAuthenticator replaces the others of the user',
      on('createAuthenticator', (sound, { authenticators }) => async (row) => {
        for (const other of authenticators.all(({ userId }) => userId === row.userId)) authenticators.delete(other)
        return sound.createAuthenticator(row)
      }),
    ],
    [
      'an account id is linked once, at whatever provider',
      on('linkAccount', (sound, { accounts }) => async (account) => {
        if (accounts.all(({ providerAccountId }) => providerAccountId === account.providerAccountId).length > 0) throw new Error('taken')
        return sound.linkAccount(account)
      }),
    ],
  ]),

  ...faultsOf('returned rows', [
    ['deleteUser returns nothing', answering('deleteUser', () => undefined)],
    ['linkAccount returns nothing', answering('linkAccount', () => undefined)],
    ['unlinkAccount returns nothing', answering('unlinkAccount', () => undefined)],
    ['updateSession returns nothing', answering('updateSession', () => null)],
    ['deleteSession returns nothing', answering('deleteSession', () => undefined)],
    ['createVerificationToken returns nothing', answering('createVerificationToken', () => undefined)],
  ]),

  ...faultsOf('absent fields', [
    [
      'getAccount gives null for what is not there',
      answering('getAccount', (account: object | null) => account && { access_token: null, scope: null, ...account }),
    ],
    ['createAuthenticator gives null for transports', answering('createAuthenticator', (row: object) => ({ transports: null, ...row }))],
  ]),

  ...faultsOf('storage', [
    [
      'addresses differ by more than case',
      on('createUser', (sound, { users }) => async (user) => {
        if (
          users.all(({ email, id }) => id !== user.id && email !== user.email && email.toLowerCase() === user.email?.toLowerCase?.())
            .length > 0
        )
          throw new Error('taken')
        return sound.createUser(user)
      }),
    ],
    [
      'account ids differ by more than trailing spaces',
      on('linkAccount', (sound, { accounts }) => async (account) => {
        const key = account.providerAccountId
        if (
          typeof key === 'string' &&
          accounts.all((each) => each.providerAccountId !== key && each.providerAccountId.trimEnd() === key.trimEnd()).length > 0
        )
          throw new Error('taken')
        return sound.linkAccount(account)
      }),
    ],
    [
      'session tokens differ by more than accents',
      on('createSession', (sound, { sessions }) => async (session) => {
        const plain = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '')
        const key = session.sessionToken
        if (
          typeof key === 'string' &&
          sessions.all((each) => each.sessionToken !== key && plain(each.sessionToken) === plain(key)).length > 0
        )
          throw new Error('taken')
        return sound.createSession(session)
      }),
    ],
    [
      'tokens have 16,000 characters at most',
      given('linkAccount', (account: { access_token?: string }) => [
        {
          ...account,
          access_token:
            typeof account.access_token === 'string' && account.access_token.length < 60_000
              ? account.access_token.slice(0, 16_000)
              : account.access_token,
        },
      ]),
    ],
    [
      'images of 60,000 characters are refused',
      on(
        'createUser',
        (sound) => async (user) => (String(user.image).length > 71_000 ? Promise.reject(new Error('too long')) : sound.createUser(user)),
      ),
    ],
    [
      'account ids of more than 1,100 characters are refused',
      on(
        'linkAccount',
        (sound) => async (account) =>
          String(account.providerAccountId).length > 1_100 ? Promise.reject(new Error('too long')) : sound.linkAccount(account),
      ),
    ],
    [
      'public keys of more than 4,000 characters are refused',
      on(
        'createAuthenticator',
        (sound) => async (row) =>
          String(row.credentialPublicKey).length > 4_000 ? Promise.reject(new Error('too long')) : sound.createAuthenticator(row),
      ),
    ],
    [
      'a counter of more than 2,147,483,647 is refused',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) =>
          counter > 2 ** 31 - 1 ? Promise.reject(new Error('out of range')) : sound.updateAuthenticatorCounter(id, counter),
      ),
    ],
    [
      'expires_at ends in 2038',
      on(
        'linkAccount',
        (sound) => async (account) =>
          Number(account.expires_at) > 2 ** 31 ? Promise.reject(new Error('out of range')) : sound.linkAccount(account),
      ),
    ],
    [
      'emailVerified ends in 2038',
      on(
        'createUser',
        (sound) => async (user) =>
          Number(user.emailVerified) > 2 ** 31 * 1000 ? Promise.reject(new Error('out of range')) : sound.createUser(user),
      ),
    ],
    [
      'sessions cannot expire in 1970',
      on(
        'createSession',
        (sound) => async (session) => (+session.expires === 0 ? Promise.reject(new Error('out of range')) : sound.createSession(session)),
      ),
    ],
    [
      'updateSession moves hours in summer',
      given('updateSession', (session: { expires: Date }) => [
        session.expires instanceof Date &&
        session.expires.toISOString?.call(Number.isNaN(+session.expires) ? new Date() : session.expires).startsWith('2026-03-29')
          ? { ...session, expires: new Date(+session.expires + 3_600_000) }
          : session,
      ]),
    ],
    [
      'verification tokens lose their milliseconds',
      given('createVerificationToken', (token: { expires: Date }) => [
        {
          ...token,
          expires:
            token.expires instanceof Date && token.expires.getMilliseconds() !== 789 && !Number.isNaN(+token.expires)
              ? new Date(Math.floor(+token.expires / 1000) * 1000)
              : token.expires,
        },
      ]),
    ],
    [
      'addresses have 400 bytes at most',
      on(
        'createUser',
        (sound) => async (user) =>
          new TextEncoder().encode(String(user.email)).length > 400 ? Promise.reject(new Error('too long')) : sound.createUser(user),
      ),
    ],
    [
      'verification tokens have 400 bytes at most',
      on(
        'createVerificationToken',
        (sound) => async (token) =>
          new TextEncoder().encode(String(token.token)).length > 400
            ? Promise.reject(new Error('too long'))
            : sound.createVerificationToken(token),
      ),
    ],
  ]),
]
