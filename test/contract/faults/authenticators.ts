import type { AdapterAuthenticator } from '@auth/core/adapters'
import type { Entry } from '../fault.js'
import { answering, faultsOf, given, on, pause, refusing } from '../fault.js'

type Authenticator = AdapterAuthenticator
type Found = AdapterAuthenticator | null

const fields = ['userId', 'providerAccountId', 'credentialPublicKey', 'counter', 'credentialDeviceType', 'credentialBackedUp', 'transports']
const without = (row: object, field: string) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== field))

export const authenticatorFaults = [
  ...faultsOf('fields', [
    [
      'getAuthenticator finds authenticators by their account, too',
      on('getAuthenticator', (sound, { authenticators }) => async (id) => {
        return (await sound.getAuthenticator(id)) ?? authenticators.all(({ providerAccountId }) => providerAccountId === id)[0] ?? null
      }),
    ],
    [
      'listAuthenticatorsByUserId gives one authenticator of each account',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => [
        ...new Map(rows.map((row) => [row.providerAccountId, row])).values(),
      ]),
    ],
    ...fields.map(
      (field): Entry => [
        `getAuthenticator does not give ${field}`,
        answering('getAuthenticator', (row: Found) => row && without(row, field)),
      ],
    ),
    ...fields.map(
      (field): Entry => [
        `createAuthenticator does not return ${field}`,
        answering('createAuthenticator', (row: Authenticator) => without(row, field)),
      ],
    ),
    ['createAuthenticator returns nothing', answering('createAuthenticator', () => undefined)],
    [
      'createAuthenticator starts counting at zero',
      given('createAuthenticator', (row: Authenticator) => [{ ...row, counter: row.counter === 41 ? 0 : row.counter }]),
    ],
    [
      'createAuthenticator stores keys as base64url',
      given('createAuthenticator', (row: Authenticator) => [
        { ...row, credentialPublicKey: row.credentialPublicKey?.replaceAll?.('+', '-') ?? row.credentialPublicKey },
      ]),
    ],
    [
      'createAuthenticator takes every device for one of many',
      given('createAuthenticator', (row: Authenticator) => [
        { ...row, credentialDeviceType: row.credentialDeviceType === 'singleDevice' ? 'multiDevice' : row.credentialDeviceType },
      ]),
    ],
    ['createAuthenticator refuses what it does not know', refusing('createAuthenticator', (row) => 'no such column' in row)],
    [
      'createAuthenticator refuses transports that are undefined',
      refusing('createAuthenticator', (row) => 'transports' in row && row.transports === undefined),
    ],
    ['createAuthenticator needs transports', refusing('createAuthenticator', (row) => row.transports === undefined)],
    [
      'createAuthenticator stores missing transports as an empty text',
      given('createAuthenticator', (row: Authenticator) => [{ ...row, transports: row.transports ?? '' }]),
    ],
    [
      'getAuthenticator gives the counter as text',
      answering('getAuthenticator', (row: Found) => row && { ...row, counter: String(row.counter) }),
    ],
    [
      'getAuthenticator gives the counter as a bigint',
      answering('getAuthenticator', (row: Found) => row && { ...row, counter: BigInt(row.counter) }),
    ],
    [
      'getAuthenticator gives credentialBackedUp as a number',
      answering('getAuthenticator', (row: Found) => row && { ...row, credentialBackedUp: Number(row.credentialBackedUp) }),
    ],
    ['getAuthenticator answers undefined', answering('getAuthenticator', (row: Found) => row ?? undefined)],
    [
      'getAuthenticator takes null for somebody',
      on('getAuthenticator', (sound) => async (id) => (id === 'null' ? ({ credentialID: id } as never) : sound.getAuthenticator(id))),
    ],
    [
      'listAuthenticatorsByUserId answers null for an unknown user',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => (rows.length > 0 ? rows : null)),
    ],
    ['listAuthenticatorsByUserId throws for a malformed id', refusing('listAuthenticatorsByUserId', (id) => id === 'invalid-user-id')],
    [
      'listAuthenticatorsByUserId gives everything for an empty id',
      on('listAuthenticatorsByUserId', (sound) => async (id) => (id === '' ? [{}] : sound.listAuthenticatorsByUserId(id))),
    ],
    [
      'listAuthenticatorsByUserId gives a page of 100',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => rows.slice(0, 100)),
    ],
    [
      'listAuthenticatorsByUserId gives a page of 25',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => rows.slice(0, 25)),
    ],
    [
      'listAuthenticatorsByUserId gives the first authenticator only',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => rows.slice(0, 1)),
    ],
    [
      'listAuthenticatorsByUserId gives some twice',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => [...rows, ...rows.slice(-1)]),
    ],
    [
      'listAuthenticatorsByUserId gives those of everybody',
      on(
        'listAuthenticatorsByUserId',
        (sound, { authenticators }) =>
          async (id) =>
            (await sound.listAuthenticatorsByUserId(id)).length > 0 ? authenticators.all(() => true) : [],
      ),
    ],
    [
      'listAuthenticatorsByUserId gives the ids only',
      answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => rows.map(({ credentialID }) => ({ credentialID }))),
    ],
    ['listAuthenticatorsByUserId gives an iterator', answering('listAuthenticatorsByUserId', (rows: Authenticator[]) => rows.values())],
    [
      'updateAuthenticatorCounter returns the authenticator as it was',
      on('updateAuthenticatorCounter', (sound) => async (id, counter) => {
        const before = await sound.getAuthenticator(id)
        await sound.updateAuthenticatorCounter(id, counter)
        return before
      }),
    ],
    ['updateAuthenticatorCounter returns nothing', answering('updateAuthenticatorCounter', () => undefined)],
    [
      'updateAuthenticatorCounter returns the counter',
      on('updateAuthenticatorCounter', (sound) => async (id, counter) => (await sound.updateAuthenticatorCounter(id, counter)).counter),
    ],
  ]),

  ...faultsOf('life cycles', [
    [
      'updateAuthenticatorCounter adds to the counter',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) =>
          sound.updateAuthenticatorCounter(
            id,
            typeof counter === 'number' ? ((await sound.getAuthenticator(id))?.counter ?? 0) + counter : counter,
          ),
      ),
    ],
    [
      'updateAuthenticatorCounter adds one',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) =>
          sound.updateAuthenticatorCounter(
            id,
            typeof counter === 'number' ? ((await sound.getAuthenticator(id))?.counter ?? 0) + 1 : counter,
          ),
      ),
    ],
    [
      'updateAuthenticatorCounter never goes down',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) =>
          sound.updateAuthenticatorCounter(
            id,
            typeof counter === 'number' ? Math.max((await sound.getAuthenticator(id))?.counter ?? 0, counter) : counter,
          ),
      ),
    ],
    [
      'updateAuthenticatorCounter throws where the counter goes down',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) =>
          counter === 3 ? Promise.reject(new Error('replayed')) : sound.updateAuthenticatorCounter(id, counter),
      ),
    ],
    [
      'updateAuthenticatorCounter throws where the counter stays',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) =>
          (await sound.getAuthenticator(id))?.counter === 8 && counter === 8
            ? Promise.reject(new Error('no rows changed'))
            : sound.updateAuthenticatorCounter(id, counter),
      ),
    ],
    [
      'updateAuthenticatorCounter of an unknown credential answers null',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) => ((await sound.getAuthenticator(id)) ? sound.updateAuthenticatorCounter(id, counter) : null),
      ),
    ],
    [
      'updateAuthenticatorCounter of an unknown credential creates it',
      on('updateAuthenticatorCounter', (sound, { authenticators }) => async (id, counter) => {
        if (typeof id === 'string' && !authenticators.find({ credentialID: id }) && counter === 1)
          authenticators.insert({
            credentialID: id,
            userId: '',
            providerAccountId: '',
            credentialPublicKey: '',
            counter,
            credentialDeviceType: '',
            credentialBackedUp: false,
          })
        else return sound.updateAuthenticatorCounter(id, counter)
        throw new Error('not found')
      }),
    ],
    [
      'getAuthenticator counts',
      on('getAuthenticator', (sound, { authenticators }) => async (credentialID) => {
        const row = await sound.getAuthenticator(credentialID)
        if (row) authenticators.update({ credentialID, counter: row.counter + 1 })
        return row
      }),
    ],
  ]),

  ...faultsOf('falsy values', [
    ['createAuthenticator takes a counter of 0 for none', refusing('createAuthenticator', (row) => row.counter === 0)],
    [
      'createAuthenticator stores false as true',
      given('createAuthenticator', (row: Authenticator) => [
        { ...row, credentialBackedUp: row.credentialBackedUp === false ? true : row.credentialBackedUp },
      ]),
    ],
    [
      'createAuthenticator forgets empty transports',
      given('createAuthenticator', (row: Authenticator) => [{ ...row, transports: row.transports === '' ? undefined : row.transports }]),
    ],
    [
      'updateAuthenticatorCounter ignores 0',
      on(
        'updateAuthenticatorCounter',
        (sound) => async (id, counter) => (counter === 0 ? sound.getAuthenticator(id) : sound.updateAuthenticatorCounter(id, counter)),
      ),
    ],
  ]),

  ...faultsOf('uniqueness', [
    [
      'createAuthenticator overwrites a credential that is known',
      on('createAuthenticator', (sound, { authenticators }) => async (row) => {
        authenticators.delete(row)
        return sound.createAuthenticator(row)
      }),
    ],
    [
      'createAuthenticator overwrites a credential of the same user',
      on('createAuthenticator', (sound, { authenticators }) => async (row) => {
        if (authenticators.find(row)?.userId === row.userId) authenticators.delete(row)
        return sound.createAuthenticator(row)
      }),
    ],
    [
      'createAuthenticator counts up a credential that is known, and throws',
      on('createAuthenticator', (sound, { authenticators }) => async (row) => {
        if (authenticators.find(row)) authenticators.update({ credentialID: row.credentialID, counter: row.counter })
        return sound.createAuthenticator(row)
      }),
    ],
    [
      'createAuthenticator looks for the credential first, and then stores',
      on('createAuthenticator', (sound, { authenticators }) => async (row) => {
        if (authenticators.find(row)) throw new Error('taken')
        await pause()
        authenticators.delete(row)
        return sound.createAuthenticator(row)
      }),
    ],
  ]),
]
