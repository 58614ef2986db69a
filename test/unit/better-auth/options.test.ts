import { betterAuth } from 'better-auth'
import type { AuthjsSessionsOptions } from 'drizzle-auth-adapter/better-auth'
import { authjsSessions } from 'drizzle-auth-adapter/better-auth'
import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import { expect, test } from 'vitest'

const day = 86_400_000
const until = new Date(Date.now() + day)

test('authjsSessions takes an end of at most 90 days, a name, secrets, and nothing else', () => {
  for (const given of [new Date(0), until, new Date(Date.now() + 90 * day)]) authjsSessions({ until: given })
  authjsSessions({ until, cookieName: '__Host-my.session', secret: ['a', 'b'], secrets: secretsAtRest({ sessionTokens: 'hashed' }) })
  authjsSessions({ until, secret: 'a', accept: async ({ version }, user) => version === user.version })
  const refused: [object, RegExp][] = [
    [{}, /until must be a date/],
    [{ until: '2027-01-31' }, /until must be a date/],
    [{ until: new Date('x') }, /until must be a date/],
    [{ until: new Date(Date.now() + 91 * day) }, /at most 90 days/],
    [{ until, secret: undefined }, /secret is missing/],
    [{ until, secret: '' }, /secret is missing/],
    [{ until, secret: [] }, /secret is missing/],
    [{ until, secret: ['a', undefined] }, /secret is missing/],
    [{ until, secrets: {} }, /secretsAtRest/],
    [{ until, cookieName: 'a b' }, /cookieName/],
    [{ until, cookieName: '' }, /cookieName/],
    [{ until, secret: 'a', accept: true }, /accept must be a function/],
    [{ until, untill: until }, /untill is unknown/],
  ]
  for (const [options, message] of refused) expect(() => authjsSessions(options as AuthjsSessionsOptions)).toThrow(message)
})

test('authjsSessions refuses settings of Better Auth with which it cannot work', async () => {
  const plugins = [authjsSessions({ until })]
  const named = betterAuth({ plugins, secret: 'x'.repeat(32), advanced: { cookies: { session_token: { name: 'authjs.session-token' } } } })
  await expect(named.$context).rejects.toThrow('the session cookie of Better Auth has the name of the old one')
  const storage = { get: () => null, set: () => undefined, delete: () => undefined, getAndDelete: () => null, increment: () => 1 }
  const elsewhere = betterAuth({ plugins, secret: 'x'.repeat(32), secondaryStorage: storage })
  await expect(elsewhere.$context).rejects.toThrow('there is no verification table')
  const verification = { storeInDatabase: true }
  const cached = betterAuth({ plugins, secret: 'x'.repeat(32), secondaryStorage: storage, verification })
  await expect(cached.$context).rejects.toThrow('there is no session table')
})
