/** The callback of Auth.js for links. Only POST requests reach it, so that opening a link does not use it up. */
const callbackPath = '/auth/callback/nodemailer'

/** The link for the mail. Opening it sends nothing of what follows the `#` to a server. */
export function linkFor(url: string): string {
  const { origin, search } = new URL(url)
  return `${origin}/confirm#${search.slice(1)}`
}

/** Whether this request only opens the callback, as mail scanners do. */
export const isOnlyLooking = ({ method, url }: Request) => method !== 'POST' && new URL(url).pathname === callbackPath

/** What the page of the link may do. */
export const confirmPolicy = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // With 'no-referrer', browsers send forms without their origin.
  'referrer-policy': 'same-origin',
}
