import { shortest } from '../passwords.js'
import type { Html } from './html.js'
import { html } from './html.js'

/** The page of each part that a problem can be about. */
const paths = { mail: '/', password: '/', openid: '/', passkey: '/', code: '/code', organization: '/organizations' }

/** The part of a page that a problem is about. */
type Place = keyof typeof paths

interface Problem {
  title: string
  text: string
  /** The part of the page where it is shown. Without one, it has a separate page. */
  place?: Place
}

const passkey = 'It was removed here, or it belongs to another site. Sign in another way and add it again.'

const unconfirmed: Problem = {
  place: 'mail',
  title: 'This link does not confirm an address.',
  text: 'It has expired, or it belongs to an earlier run of the demo.',
}

const problems: Record<string, Problem> = {
  Used: { place: 'mail', title: 'This link was used already.', text: 'A link signs you in once. Ask for a new one.' },
  Expired: { place: 'mail', title: 'This link has expired.', text: 'Ask for a new one.' },
  Address: { place: 'mail', title: 'This is not an email address.', text: 'Write an address such as you@example.com.' },
  Code: {
    place: 'code',
    title: 'This code is not right.',
    text: 'It is wrong, has expired or was used already. You have five tries an hour.',
  },
  Tries: {
    place: 'code',
    title: 'Too many tries.',
    text: 'This address has used its five tries. Wait for the next hour, or sign in another way.',
  },
  CredentialsSignin: {
    place: 'password',
    title: 'This did not match.',
    text: `The address or the password is wrong, or the address already has an account. A password has at least ${shortest} characters.`,
  },
  Stale: {
    place: 'password',
    title: 'Sign in again first.',
    text: 'Better Auth deletes a user only within a day after the sign-in.',
  },
  OAuthAccountNotLinked: {
    place: 'openid',
    title: 'This account belongs to someone else.',
    text: 'It is linked to another user, or another user has its email address. Sign in the way you did the first time, then link it.',
  },
  OAuthCallbackError: { place: 'openid', title: 'The sign-in was not completed.', text: 'You or the OpenID provider ended it. Try again.' },
  InvalidCheck: {
    place: 'openid',
    title: 'The sign-in took too long.',
    text: 'You began it in another window or too long ago. Try again.',
  },
  AccountNotLinked: {
    place: 'passkey',
    title: 'This passkey belongs to someone else.',
    text: 'It is linked to another user. Sign out first to sign in as that user.',
  },
  AuthError: { place: 'passkey', title: 'This passkey is not known.', text: passkey },
  WebAuthnVerificationError: { place: 'passkey', title: 'This passkey was not accepted.', text: passkey },
  TOKEN_EXPIRED: unconfirmed,
  INVALID_TOKEN: unconfirmed,
  Taken: { place: 'organization', title: 'This name is taken.', text: 'An organization has it already. Choose another one.' },
  Invited: { place: 'organization', title: 'Nobody new to invite.', text: 'This address is invited already, or belongs to a member.' },
  Organization: {
    place: 'organization',
    title: 'Better Auth refused this.',
    text: 'The organization or the invitation is gone, or your role does not allow it.',
  },
  Click: { title: 'Open the link from the mail', text: 'It leads to a page with a button. Opening a link does not use it up.' },
  Database: {
    title: 'The database cannot be reached',
    text: 'Nothing was lost. Try again in a moment: the demo continues when the database is back.',
  },
  Refused: { title: 'The database refused this', text: 'Two requests collided. Try again.' },
  NotFound: { title: 'There is no such page', text: 'Start from the home page.' },
}

const unknown: Problem = { title: 'This did not work', text: 'Try again from the home page. The log of the demo says more.' }

/** The URL that shows a problem: the page with the form that it is about and the submitted address, or a separate page. */
export function problemUrl(kind: string, email: string): string {
  const place = problems[kind]?.place
  const query = new URLSearchParams({ error: kind, ...(place && email && { email }) })
  return place ? `${paths[place]}?${query}#problem` : `/problem?${query}`
}

/** The problem as markup, if it belongs to one of these places. */
export function problemAt(places: Place[], kind: string | undefined): Html | undefined {
  const problem = problems[kind ?? '']
  if (!problem?.place || !places.includes(problem.place)) return undefined
  return html`<p class="alert" role="alert" id="problem" tabindex="-1"><strong>${problem.title}</strong> ${problem.text}</p>`
}

export function problemPage(kind: string): Html {
  const { title, text } = problems[kind] ?? unknown
  return html`
  <h1>${title}</h1>
  <div class="card">
    <p>${text}</p>
    <p><a class="button" href="/">${kind === 'Database' ? 'Try again' : 'To the home page'}</a></p>
  </div>
`
}
