import type { AdapterUser } from '@auth/core/adapters'
import type { Entry } from '../fault.js'
import { answering, faultsOf, given, on, refusing } from '../fault.js'

type Given = Partial<AdapterUser>

const without = <Row extends object>(row: Row, field: keyof Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([name]) => name !== field)) as Row
const values = (row: object | undefined) => Object.values(row ?? {}).filter((value) => value !== undefined)

const updates = faultsOf('life cycles', [
  [
    'updateUser moves verification tokens to the new address',
    on('updateUser', (sound, { users, tokens }) => async (user) => {
      const before = users.find(user)
      const after = await sound.updateUser(user)
      for (const token of tokens.all(({ identifier }) => before?.email !== after.email && identifier === before?.email)) {
        tokens.delete(token)
        tokens.insert({ ...token, identifier: after.email })
      }
      return after
    }),
  ],
  ...(['name', 'image', 'email', 'emailVerified'] as const).map(
    (field): Entry => [`updateUser ignores ${field}`, given('updateUser', (user: Given) => [without(user, field)])],
  ),
  [
    'updateUser returns the user as it was',
    on('updateUser', (sound, { users }) => async (user) => {
      const before = users.find(user)
      await sound.updateUser(user)
      return before
    }),
  ],
  [
    'updateUser returns what it was given',
    on('updateUser', (sound) => async (user) => {
      await sound.updateUser(user)
      return user
    }),
  ],
  [
    'updateUser changes the address alone where it is given one',
    given('updateUser', (user: Given) => [user.email && user.name === 'Lin' ? { id: user.id, email: user.email } : user]),
  ],
  ['updateUser returns nothing', answering('updateUser', () => undefined)],
  [
    'updateUser replaces the whole user',
    on('updateUser', (sound, { users }) => async (user) => {
      const { email, id } = await sound.updateUser(user)
      users.delete({ id })
      return users.insert({ email, ...user, id })
    }),
  ],
  [
    'updateUser of nobody creates a user',
    on(
      'updateUser',
      (sound, { users }) =>
        async (user) =>
          user?.id && user.email && !users.find(user) ? sound.createUser(user as AdapterUser) : sound.updateUser(user),
    ),
  ],
  [
    'updateUser of nobody creates a user, and throws',
    on('updateUser', (sound, { users }) => async (user) => {
      if (!user?.id || !user.email || users.find(user)) return sound.updateUser(user)
      users.insert(user)
      throw new Error('not found')
    }),
  ],
  [
    'updateUser of nobody answers null',
    on(
      'updateUser',
      (sound, { users }) =>
        async (user) =>
          users.find(user) ? sound.updateUser(user) : null,
    ),
  ],
  [
    'updateUser of nobody with nothing to change answers the id',
    on(
      'updateUser',
      (sound) => async (user) =>
        user?.id && values(user).length === 1 ? ((await sound.getUser(user.id)) ?? user) : sound.updateUser(user),
    ),
  ],
  ['updateUser with nothing to change throws', refusing('updateUser', (user) => user && Object.keys(user).length === 1)],
  [
    'updateUser with nothing to change returns nothing',
    on('updateUser', (sound) => async (user) => (values(user).length === 1 ? void (await sound.updateUser(user)) : sound.updateUser(user))),
  ],
  ['updateUser refuses a field that it does not know', refusing('updateUser', (user) => user && 'no such column' in user)],
  [
    'updateUser clears what is undefined',
    on(
      'updateUser',
      (sound) => async (user) => sound.updateUser({ ...user, ...(user && 'image' in user && user.image === undefined && { image: null }) }),
    ),
  ],
  [
    'updateUser with only undefined throws',
    refusing('updateUser', (user) => user && Object.keys(user).length > 3 && values(user).length === 1),
  ],
  [
    'updateUser takes an address that is taken',
    on(
      'updateUser',
      (sound, { users }) =>
        async (user) =>
          users.find(user) && (await sound.getUserByEmail(user.email as string)) ? users.update(user) : sound.updateUser(user),
    ),
  ],
  [
    'updateUser changes the name before it sees that the address is taken',
    on('updateUser', (sound, { users }) => async (user) => {
      if (user?.name && user.email && users.find(user) && (await sound.getUserByEmail(user.email)))
        users.update({ id: user.id, name: user.name })
      return sound.updateUser(user)
    }),
  ],
  [
    'an address that was changed stays taken',
    (sound, { users }) => {
      const taken = new Set<unknown>()
      return {
        createUser: async (user) => (taken.has(user.email) ? Promise.reject(new Error('taken')) : sound.createUser(user)),
        async updateUser(user) {
          const before = users.find(user)
          const updated = await sound.updateUser(user)
          if (before && before.email !== updated.email) taken.add(before.email)
          return updated
        },
      }
    },
  ],
  [
    'an address that was changed still finds the user',
    (sound, { users }) => {
      const former = new Map<unknown, string>()
      return {
        getUserByEmail: async (email) => (await sound.getUserByEmail(email)) ?? users.find({ id: former.get(email) }),
        async updateUser(user) {
          const before = users.find(user)
          if (before && user.email && user.email !== before.email && before.emailVerified === null) former.set(before.email, before.id)
          return sound.updateUser(user)
        },
      }
    },
  ],
])

const deletions = faultsOf('life cycles', [
  ['deleteUser does nothing', on('deleteUser', () => async () => null)],
  [
    'deleteUser marks the user, and lookups by address still find it',
    (sound, { users }) => {
      const deleted: AdapterUser[] = []
      return {
        getUserByEmail: async (email) => (await sound.getUserByEmail(email)) ?? deleted.find((user) => user.email === email) ?? null,
        async deleteUser(id) {
          deleted.push(...users.all((user) => user.id === id))
          return sound.deleteUser(id)
        },
      }
    },
  ],
  [
    'a deleted user keeps its address',
    (sound, { users }) => {
      const deleted = new Set<unknown>()
      return {
        createUser: async (user) => (user.email && deleted.has(user.email) ? Promise.reject(new Error('taken')) : sound.createUser(user)),
        async deleteUser(id) {
          deleted.add(users.find({ id })?.email)
          return sound.deleteUser(id)
        },
      }
    },
  ],
  [
    'a deleted user can be changed',
    (sound, { users }) => {
      const deleted: AdapterUser[] = []
      return {
        updateUser: async (user) => deleted.find(({ id }) => id === user?.id) ?? sound.updateUser(user),
        async deleteUser(id) {
          deleted.push(...users.all((user) => user.id === id))
          return sound.deleteUser(id)
        },
      }
    },
  ],
  [
    'deleteUser of nobody throws',
    on(
      'deleteUser',
      (sound, { users }) =>
        async (id) =>
          id === '' || (id?.length === 36 && !users.find({ id })) ? Promise.reject(new Error('not found')) : sound.deleteUser(id),
    ),
  ],
  ['deleteUser of nobody says that it deleted somebody', answering('deleteUser', (user: AdapterUser | null) => user ?? { id: 'gone' })],
  [
    'deleteUser of an empty id deletes somebody',
    on(
      'deleteUser',
      (sound, { users }) =>
        async (id) =>
          sound.deleteUser(id === '' ? (users.all(() => true)[0]?.id ?? '') : id),
    ),
  ],
  ['deleteUser says how many it deleted', on('deleteUser', (sound) => async (id) => ({ count: (await sound.deleteUser(id)) ? 1 : 0 }))],
])

const falsy = faultsOf('falsy values', [
  [
    'updateUser leaves out what is falsy',
    on(
      'updateUser',
      (sound) => async (user) =>
        sound.updateUser(user && (Object.fromEntries(Object.entries(user).filter(([, value]) => value)) as typeof user)),
    ),
  ],
  ['updateUser does not write an empty image', given('updateUser', (user: Given) => [user.image === '' ? without(user, 'image') : user])],
  ['updateUser writes an empty name as null', given('updateUser', (user: Given) => [user.name === '' ? { ...user, name: null } : user])],
  [
    'updateUser cannot take back emailVerified',
    given('updateUser', (user: Given) => [user.emailVerified === null ? without(user, 'emailVerified') : user]),
  ],
  ['updateUser cannot clear the image', given('updateUser', (user: Given) => [user.image === null ? without(user, 'image') : user])],
])

export const updateFaults = [...updates, ...deletions, ...falsy]
