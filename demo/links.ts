/** The path that Auth.js answers links at. Only a form may be sent there: whoever just looks at a link uses nothing up. */
const answering = '/auth/callback/nodemailer'

/** The link for the mail. What follows the `#` is never sent to a server. */
export function linkFor(url: string): string {
  const { origin, search } = new URL(url)
  return `${origin}/confirm#${search.slice(1)}`
}

/** Whether this request opens a link of Auth.js itself, as a program does that looks at links. */
export const isOnlyLooking = ({ method, url }: Request) => method !== 'POST' && new URL(url).pathname === answering

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
