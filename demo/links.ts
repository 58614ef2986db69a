/** The callback of Auth.js for links. Only POST requests are passed to it, so that opening a link does not use it up. */
const callbackPath = '/auth/callback/nodemailer'

/** The link for the mail. Browsers do not send the part after the `#` to a server. */
export function linkFor(url: string): string {
  const { origin, search } = new URL(url)
  return `${origin}/confirm#${search.slice(1)}`
}

/** Whether this request only opens the callback, as mail scanners do. */
export const onlyOpensCallback = ({ method, url }: Request) => method !== 'POST' && new URL(url).pathname === callbackPath

/** Security headers for the page of the link. */
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
