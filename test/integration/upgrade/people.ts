import type { Person } from '../../support/operations.js'

/** The key with which the tokens of `protectedPerson` were encrypted. */
export const tokenKey = { id: '2026a', secret: 'the secret of the upgrade tests, with 32 characters or more' }

/** Whom version 0.1.0 stored without `secretsAtRest`. */
export const plainPerson = personOf('5f0c7a52-9d1b-4a53-8f6e-0d8a6c1f2b3e', {
  name: 'Zoë Łukasz 👩‍🚀',
  email: 'josé@exämple.com',
  emailVerified: new Date('2026-11-17T10:21:34.123Z'),
})

/** Whom version 0.1.0 stored with hashed sessions and encrypted tokens. */
export const protectedPerson = personOf('id \'with \\ marks"', { name: null, email: 'jose@exämple.com', emailVerified: null })

function personOf(id: string, user: Pick<Person['user'], 'name' | 'email' | 'emailVerified'>): Person {
  return {
    user: { id, image: null, ...user },
    account: {
      userId: id,
      type: 'oidc',
      provider: 'example',
      providerAccountId: `Ä ${id}`,
      access_token: `access token of ${user.email}`,
      refresh_token: '',
      id_token: 'ü'.repeat(30),
      expires_at: 4_102_444_800,
      expires_in: 3_600,
      token_type: 'bearer',
      scope: 'openid email',
    },
    session: { sessionToken: `session of ${user.email}`, userId: id, expires: new Date('2040-02-29T23:59:59.999Z') },
    token: { identifier: user.email, token: `token of ${user.email}`, expires: new Date('2026-01-02T03:04:05.006Z') },
    authenticator: {
      credentialID: `credential of ${user.email}`,
      userId: id,
      providerAccountId: `Ä ${id}`,
      credentialPublicKey: 'pQECAyYgASFYIA+/=',
      counter: 4_294_967_295,
      credentialDeviceType: 'multiDevice',
      credentialBackedUp: true,
    },
  }
}
