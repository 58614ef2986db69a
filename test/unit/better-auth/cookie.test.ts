import { hasSessionCookie } from 'drizzle-auth-adapter/better-auth/cookie'
import { expect, test } from 'vitest'

const request = (cookie?: string) => new Request('https://app.example.com', cookie === undefined ? {} : { headers: { cookie } })

test('hasSessionCookie knows the cookies of Better Auth, Auth.js 5 and next-auth 4, split ones as well', () => {
  for (const base of ['better-auth.session_token', 'authjs.session-token', 'next-auth.session-token', 'authjs.session-token.0'])
    for (const name of [base, `__Secure-${base}`]) {
      expect(hasSessionCookie(request(`a=b; ${name}=x`))).toBe(true)
      expect(hasSessionCookie(request(`a=b;${name}=x;c`).headers)).toBe(true)
      for (const cookie of [`${name}=`, `x${name}=x`, `${name}x=x`, `a=${name}`, name])
        expect(hasSessionCookie(request(cookie))).toBe(false)
    }
  for (const cookie of [undefined, '', ';', '=', 'authjs.csrf-token=x']) expect(hasSessionCookie(request(cookie))).toBe(false)
})

test('hasSessionCookie knows the prefix that the app gave the cookies of Better Auth', () => {
  for (const cookie of ['my-app.session_token=x', '__Secure-my-app.session_token=x', 'authjs.session-token=x'])
    expect(hasSessionCookie(request(cookie), { cookiePrefix: 'my-app' })).toBe(true)
  for (const cookie of ['better-auth.session_token=x', 'my-app.session_token=', 'my-app.session_data=x', 'my-apps.session_token=x'])
    expect(hasSessionCookie(request(cookie), { cookiePrefix: 'my-app' })).toBe(false)
  expect(hasSessionCookie(request('my-app.session_token=x'))).toBe(false)
})

test('hasSessionCookie knows a name of the app', () => {
  for (const cookieName of ['my-session', '__Secure-my-session']) {
    expect(hasSessionCookie(request('__Secure-my-session=x'), { cookieName })).toBe(true)
    expect(hasSessionCookie(request('my-session.0=x'), { cookieName })).toBe(true)
    expect(hasSessionCookie(request('better-auth.session_token=x'), { cookieName })).toBe(true)
    expect(hasSessionCookie(request('authjs.session-token=x'), { cookieName })).toBe(false)
  }
})
