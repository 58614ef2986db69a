import type { AdapterUser } from '@auth/core/adapters'
import { answering, faultsOf, given, on, pause, refusing } from '../fault.js'

type User = AdapterUser
type Given = Partial<AdapterUser>
type Found = AdapterUser | null

const creation = faultsOf('fields', [
  ['createUser returns what it was given, without the id', answering('createUser', ({ id: _, ...user }: User) => user)],
  ['createUser gives the id as a number', answering('createUser', (user: User) => ({ ...user, id: 7 }))],
  ['createUser forgets the image', given('createUser', (user: Given) => [{ ...user, image: null }])],
  [
    'createUser takes every address for verified',
    given('createUser', (user: Given) => [{ ...user, emailVerified: user.emailVerified ?? new Date() }]),
  ],
  ['createUser never takes an address for verified', given('createUser', (user: Given) => [{ ...user, emailVerified: null }])],
  [
    'createUser returns emailVerified as text',
    answering('createUser', (user: User) => ({ ...user, emailVerified: user.emailVerified?.toISOString() ?? null })),
  ],
  [
    'createUser gives undefined for emailVerified',
    answering('createUser', (user: User) => ({ ...user, emailVerified: user.emailVerified ?? undefined })),
  ],
  ['createUser makes no id of its own', given('createUser', (user: Given) => [{ ...user, id: user.id ?? 'undefined' }])],
  [
    'createUser makes the next id after the highest',
    on(
      'createUser',
      (sound, { users }) =>
        async (user) =>
          sound.createUser({ ...user, id: user.id ?? String(users.rows.size + 1) }),
    ),
  ],
  [
    'createUser gives users who come at once one id',
    on('createUser', (sound, { users }) => {
      let next: string | undefined
      return async (user) => {
        if (user.id) return sound.createUser(user)
        next ??= crypto.randomUUID()
        const id = next
        await pause()
        next = undefined
        users.delete({ id })
        return sound.createUser({ ...user, id })
      }
    }),
  ],
  ['createUser refuses a property that it does not know', refusing('createUser', (user) => 'locale' in user)],
  [
    'createUser stores the name in lower case',
    given('createUser', (user: Given) => [{ ...user, name: user.name?.toLowerCase?.() ?? user.name }]),
  ],
  ['createUser greets the user', answering('createUser', (user: User) => ({ ...user, name: `${user.name}!` }))],
  [
    'createUser returns the user but does not store it',
    on('createUser', () => async (user) => ({ ...user, id: user.id ?? crypto.randomUUID() })),
  ],
])

const lookups = faultsOf('fields', [
  [
    'getUser gives undefined for emailVerified',
    answering('getUser', (user: Found) => user && { ...user, emailVerified: user.emailVerified ?? undefined }),
  ],
  [
    'getUserByEmail leaves emailVerified out',
    answering('getUserByEmail', (user: Found) => user && { ...user, emailVerified: user.emailVerified ?? undefined }),
  ],
  ['getUser answers undefined', answering('getUser', (user: Found) => user ?? undefined)],
  ['getUser answers false', answering('getUser', (user: Found) => user ?? false)],
  ['getUser answers an empty object', answering('getUser', (user: Found) => user ?? {})],
  ['getUser answers a list', answering('getUser', (user: Found) => user && [user])],
  [
    'getUser throws for an unknown id',
    on('getUser', (sound) => async (id) => (await sound.getUser(id)) ?? Promise.reject(new Error('not found'))),
  ],
  ['getUser throws for an id that is no UUID', refusing('getUser', (id) => typeof id === 'string' && id.length < 20)],
  ['getUser takes 0 for somebody', on('getUser', (sound) => async (id) => (id === '0' ? { id: '0', email: '' } : sound.getUser(id)))],
  [
    'getUser finds users by their name',
    on(
      'getUser',
      (sound, { users }) =>
        async (id) =>
          (await sound.getUser(id)) ?? users.all((user) => user.name === id)[0] ?? null,
    ),
  ],
  [
    'getUser finds users by their address, too',
    on('getUser', (sound) => async (id) => (await sound.getUser(id)) ?? sound.getUserByEmail(id)),
  ],
  ['getUserByEmail forgets the image', answering('getUserByEmail', (user: Found) => user && { ...user, image: null })],
  ['getUserByEmail answers undefined', answering('getUserByEmail', (user: Found) => user ?? undefined)],
  [
    'getUserByEmail finds the first user by an empty address',
    on(
      'getUserByEmail',
      (sound, { users }) =>
        async (email) =>
          email === '' ? (users.all(() => true)[0] ?? null) : sound.getUserByEmail(email),
    ),
  ],
  [
    'getUserByEmail finds somebody by the domain',
    on(
      'getUserByEmail',
      (sound, { users }) =>
        async (email) =>
          email === '@example.com' ? (users.all(() => true)[0] ?? null) : sound.getUserByEmail(email),
    ),
  ],
  [
    'getUserByEmail gives emailVerified as a number',
    answering('getUserByEmail', (user: Found) => user && { ...user, emailVerified: user.emailVerified && +user.emailVerified }),
  ],
  ['getUserByAccount answers undefined', answering('getUserByAccount', (user: Found) => user ?? undefined)],
  [
    'getUserByAccount relies on the order of its keys',
    on(
      'getUserByAccount',
      (sound) => async (key) => (Object.keys(key ?? {})[0] === 'providerAccountId' ? null : sound.getUserByAccount(key)),
    ),
  ],
  [
    'getUserByAccount exchanges its keys',
    on(
      'getUserByAccount',
      (sound) => async (key) =>
        (await sound.getUserByAccount(key)) ??
        sound.getUserByAccount({ provider: key?.providerAccountId, providerAccountId: key?.provider } as never),
    ),
  ],
  [
    'getUserByAccount gives the id of the account',
    on('getUserByAccount', (sound) => async (key) => {
      const user = await sound.getUserByAccount(key)
      return user && { ...user, id: key.providerAccountId }
    }),
  ],
  [
    'getUserByAccount finds by the provider alone',
    on('getUserByAccount', (_, { accounts, users }) => async (key) => {
      const account = accounts.find(key) ?? accounts.all(({ provider }) => provider === 'github' && provider === key?.provider)[0]
      return account && typeof key.providerAccountId === 'string' ? users.find({ id: account.userId }) : null
    }),
  ],
  [
    'getUserByAccount finds by the id alone',
    on('getUserByAccount', (sound, { accounts, users }) => async (key) => {
      const account = accounts.all(({ providerAccountId }) => providerAccountId === key?.providerAccountId)[0]
      return account && typeof key.provider === 'string' ? users.find({ id: account.userId }) : sound.getUserByAccount(key)
    }),
  ],
  [
    'getUserByAccount takes the newest account of that id, of whatever provider',
    on('getUserByAccount', (_, { accounts, users }) => async (key) => {
      const found = accounts.find(key) && accounts.all(({ providerAccountId }) => providerAccountId === key.providerAccountId).at(-1)
      return found ? users.find({ id: found.userId }) : null
    }),
  ],
  [
    'getUserByAccount finds a user only by the first account at a provider',
    on('getUserByAccount', (sound, { accounts }) => async (key) => {
      const user = await sound.getUserByAccount(key)
      const first = accounts.all(({ userId, provider }) => userId === user?.id && provider === key.provider)[0]
      return first?.providerAccountId === accounts.find(key)?.providerAccountId ? user : null
    }),
  ],
  [
    'getUserByAccount finds a user only by accounts at one provider',
    on('getUserByAccount', (sound, { accounts }) => async (key) => {
      const user = await sound.getUserByAccount(key)
      const others = accounts.all(({ userId, provider }) => userId === user?.id && provider === 'google')
      return others.length > 0 && key.provider !== 'google' ? null : user
    }),
  ],
])

const uniqueness = faultsOf('uniqueness', [
  [
    'createUser overwrites the user of an address that is taken',
    on('createUser', (sound, { users }) => async (user) => {
      const taken = user.email && users.all(({ email }) => email === user.email)[0]
      return taken ? users.update({ ...user, id: taken.id }) : sound.createUser(user)
    }),
  ],
  [
    'createUser overwrites the user of an address that is taken, and throws',
    on('createUser', (sound, { users }) => async (user) => {
      const taken = user.email && users.all(({ email }) => email === user.email)[0]
      if (taken) users.update({ id: taken.id, image: user.image })
      return sound.createUser(user)
    }),
  ],
  [
    'createUser gives the user of an address that is taken',
    on('createUser', (sound) => async (user) => (user.email && (await sound.getUserByEmail(user.email))) || sound.createUser(user)),
  ],
  [
    'createUser looks for the address first, and then stores',
    on('createUser', (_, { users }) => async (user) => {
      if (users.all(({ email }) => email === user.email).length > 0) throw new Error('taken')
      await pause()
      return users.insert({ ...user, id: user.id ?? crypto.randomUUID() })
    }),
  ],
  [
    'createUser overwrites the user of an id that is taken',
    on('createUser', (sound, { users }) => async (user) => {
      users.rows.delete(users.keyOf(user) ?? '')
      return sound.createUser(user)
    }),
  ],
])

const falsy = faultsOf('falsy values', [
  ['createUser stores empty texts as null', given('createUser', (user: Given) => [{ ...user, name: user.name === '' ? null : user.name }])],
  [
    'createUser stores null as an empty text',
    given('createUser', (user: Given) => [{ ...user, image: user.image === null ? '' : user.image }]),
  ],
  ['createUser refuses null', refusing('createUser', (user) => user.name === null)],
  [
    'createUser stores what is undefined as text',
    given('createUser', (user: Given) => [
      { ...user, name: 'name' in user ? (user.name === undefined ? 'undefined' : user.name) : user.name },
    ]),
  ],
])

export const userFaults = [...creation, ...lookups, ...uniqueness, ...falsy]
