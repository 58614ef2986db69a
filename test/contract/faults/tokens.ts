import type { VerificationToken } from '@auth/core/adapters'
import { answering, faultsOf, given, on, pause, refusing } from '../fault.js'

type Token = VerificationToken
type Found = VerificationToken | null
const isExpired = (token: Found | undefined) => +(token?.expires ?? Infinity) < Date.now()

export const tokenFaults = [
  ...faultsOf('fields', [
    [
      'createVerificationToken returns the oldest token of the address',
      on('createVerificationToken', (sound, { tokens }) => async (token) => {
        await sound.createVerificationToken(token)
        return tokens.all(({ identifier }) => identifier === token.identifier)[0]
      }),
    ],
    ['createVerificationToken returns no address', answering('createVerificationToken', ({ identifier: _, ...token }: Token) => token)],
    [
      'createVerificationToken gives tokens a day at most',
      given('createVerificationToken', (token: Token) => [
        { ...token, expires: +token.expires > Date.now() + 90 * 86_400_000 ? new Date(Date.now() + 86_400_000) : token.expires },
      ]),
    ],
    [
      'createVerificationToken stores another digest of the token',
      given('createVerificationToken', (token: Token) => [
        { ...token, token: typeof token.token === 'string' ? `${token.token}#` : token.token },
      ]),
    ],
    [
      'createVerificationToken stores the address in lower case',
      given('createVerificationToken', (token: Token) => [{ ...token, identifier: token.identifier?.toLowerCase?.() ?? token.identifier }]),
    ],
    [
      'useVerificationToken returns no expiry',
      answering('useVerificationToken', (token: Found) => token && { identifier: token.identifier, token: token.token }),
    ],
    [
      'useVerificationToken returns the expiry as text',
      answering('useVerificationToken', (token: Found) => token && { ...token, expires: token.expires.toISOString() }),
    ],
    [
      'useVerificationToken returns the expiry of another token of the address',
      on('useVerificationToken', (sound, { tokens }) => async (key) => {
        const [first] = tokens.all(({ identifier }) => identifier === key?.identifier)
        const token = await sound.useVerificationToken(key)
        return token && { ...token, expires: first?.expires }
      }),
    ],
    ['useVerificationToken answers undefined', answering('useVerificationToken', (token: Found) => token ?? undefined)],
    [
      'useVerificationToken answers true',
      on('useVerificationToken', (sound) => async (key) => (await sound.useVerificationToken(key)) && true),
    ],
    [
      'useVerificationToken throws for an unknown token',
      on(
        'useVerificationToken',
        (sound) => async (key) => (await sound.useVerificationToken(key)) ?? Promise.reject(new Error('not found')),
      ),
    ],
  ]),

  ...faultsOf('life cycles', [
    [
      'createVerificationToken refuses the sixth token of an address',
      on('createVerificationToken', (sound, { tokens }) => async (token) => {
        if (tokens.all(({ identifier }) => identifier === token.identifier).length >= 5) throw new Error('too many')
        await pause()
        return sound.createVerificationToken(token)
      }),
    ],
    ['useVerificationToken refuses what it does not know', refusing('useVerificationToken', (key) => 'no such column' in key)],
    [
      'createVerificationToken deletes expired tokens',
      on('createVerificationToken', (sound, { tokens }) => async (token) => {
        for (const expired of tokens.all(isExpired)) tokens.delete(expired)
        return sound.createVerificationToken(token)
      }),
    ],
    [
      'useVerificationToken does not delete the token',
      on(
        'useVerificationToken',
        (_, { tokens }) =>
          async (key) =>
            tokens.find(key),
      ),
    ],
    [
      'useVerificationToken marks the token, and returns it again',
      on('useVerificationToken', (sound, { tokens }) => {
        const used = new Map<unknown, Found>()
        return async (key) => {
          const token = await sound.useVerificationToken(key)
          if (token) used.set(tokens.keyOf(key), token)
          return token ?? (used.get(tokens.keyOf(key)) || null)
        }
      }),
    ],
    [
      'useVerificationToken deletes the token at the second use',
      on('useVerificationToken', (sound, { tokens }) => {
        const used = new Set<unknown>()
        return async (key) =>
          used.has(tokens.keyOf(key)) ? sound.useVerificationToken(key) : used.add(tokens.keyOf(key)) && tokens.find(key)
      }),
    ],
    [
      'useVerificationToken does not return an expired token',
      on('useVerificationToken', (sound) => async (key) => {
        const token = await sound.useVerificationToken(key)
        return isExpired(token) && +(token as Token).expires > Date.now() - 3 * 86_400_000 ? null : token
      }),
    ],
    [
      'useVerificationToken does not delete an expired token',
      on(
        'useVerificationToken',
        (sound, { tokens }) =>
          async (key) =>
            isExpired(tokens.find(key) ?? undefined) ? tokens.find(key) : sound.useVerificationToken(key),
      ),
    ],
    [
      'a token that is created twice works twice',
      (sound, { tokens }) => {
        const twice = new Map<unknown, Token>()
        return {
          async createVerificationToken(token) {
            if (!tokens.find(token)) return sound.createVerificationToken(token)
            twice.set(tokens.keyOf(token), token)
            return token
          },
          async useVerificationToken(key) {
            const again = twice.get(tokens.keyOf(key))
            const token = await sound.useVerificationToken(key)
            if (!token) twice.delete(tokens.keyOf(key))
            return token ?? again ?? null
          },
        }
      },
    ],
    [
      'an address keeps the token that lives longest',
      on('createVerificationToken', (sound, { tokens }) => async (token) => {
        const longer = tokens.all(({ identifier, expires }) => identifier === token.identifier && +expires > +token.expires + 86_400_000)
        return longer.length > 0 ? token : sound.createVerificationToken(token)
      }),
    ],
    [
      'a new token replaces the others of the address',
      on('createVerificationToken', (sound, { tokens }) => async (token) => {
        for (const other of tokens.all(({ identifier }) => identifier === token.identifier)) tokens.delete(other)
        return sound.createVerificationToken(token)
      }),
    ],
    [
      'useVerificationToken looks at the token alone',
      on(
        'useVerificationToken',
        (sound, { tokens }) =>
          async (key) =>
            sound.useVerificationToken(tokens.all(({ token }) => token === key?.token && typeof key.identifier === 'string')[0] ?? key),
      ),
    ],
    [
      'useVerificationToken looks at the address alone',
      on(
        'useVerificationToken',
        (sound, { tokens }) =>
          async (key) =>
            sound.useVerificationToken(
              tokens.find(key) ?? tokens.all(({ identifier }) => identifier === key?.identifier && typeof key.token === 'string')[0] ?? key,
            ),
      ),
    ],
    [
      'useVerificationToken uses up the tokens of the address when the token is wrong',
      on('useVerificationToken', (sound, { tokens }) => async (key) => {
        if (key?.token === '' && !tokens.find(key))
          for (const other of tokens.all(({ identifier }) => identifier === key.identifier)) tokens.delete(other)
        return sound.useVerificationToken(key)
      }),
    ],
    [
      'useVerificationToken takes an empty token for any',
      on(
        'useVerificationToken',
        (sound, { tokens }) =>
          async (key) =>
            sound.useVerificationToken(key?.token === '' ? (tokens.all(({ identifier }) => identifier === key.identifier)[0] ?? key) : key),
      ),
    ],
  ]),

  ...faultsOf('races', [
    [
      'useVerificationToken reads the token, and then deletes it',
      on('useVerificationToken', (sound, { tokens }) => async (key) => {
        const token = tokens.find(key)
        if (token) await pause()
        if (token) await sound.useVerificationToken(key)
        return token
      }),
    ],
    [
      'useVerificationToken throws where another was faster',
      on('useVerificationToken', (sound, { tokens }) => async (key) => {
        if (!tokens.find(key)) return null
        await pause()
        return (await sound.useVerificationToken(key)) ?? Promise.reject(new Error('could not serialize access'))
      }),
    ],
    [
      'the tokens of an address are a list that is read, and then written',
      on('createVerificationToken', (sound, { tokens }) => async (token) => {
        const before = tokens.all(({ identifier }) => identifier === token.identifier)
        await pause()
        for (const other of tokens.all(({ identifier }) => identifier === token.identifier)) tokens.delete(other)
        for (const other of before) tokens.insert(other)
        return sound.createVerificationToken(token)
      }),
    ],
  ]),
]
