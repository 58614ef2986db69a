import type { Html } from './html.js'
import { html } from './html.js'

const link = 'Ask for a new one: it takes a moment.'
const database = 'Nothing was lost. Try again in a moment: the demo goes on when the database is back.'
const passkey = 'It was removed here, or it belongs to another site. Sign in another way and add it again.'

/** What went wrong, and what to do: the heading and the text for each kind. */
const problems: Record<string, [string, string]> = {
  Used: ['This link was used already', `A link signs in once. ${link}`],
  Expired: ['This link has expired', link],
  Click: ['Open the link from the mail', 'It leads to a page with a button. Looking at a link uses nothing up.'],
  Code: ['This code is not right', 'It is wrong, has expired or was used already. You have five tries an hour.'],
  Tries: ['Too many tries', 'This address had its five tries. Wait for the next hour, or sign in another way.'],
  CredentialsSignin: [
    'This did not match',
    'The address or the password is wrong, or the address has an account already. A password has eight characters or more.',
  ],
  OAuthAccountNotLinked: [
    'This account belongs to someone else',
    'It is linked to another user, or another user has its email address. Sign in the way you did the first time, then link it.',
  ],
  AccountNotLinked: ['This passkey belongs to someone else', 'It is linked to another user. Sign out first to sign in as that user.'],
  AuthError: ['This passkey is not known', passkey],
  WebAuthnVerificationError: ['This passkey was not accepted', passkey],
  OAuthCallbackError: ['The sign-in was not completed', 'The OpenID provider sent you back without an answer. Try again.'],
  InvalidCheck: ['The sign-in took too long', 'It was begun in another window or too long ago. Try again.'],
  Address: ['This is no email address', 'Write it as in you@example.com.'],
  Database: ['The database cannot be reached', database],
  Refused: ['The database refused this', 'Two requests have met each other. Try again.'],
  NotFound: ['There is no such page', 'Begin at the home page.'],
}

export function problemPage(kind: string): Html {
  const [title, text] = problems[kind] ?? ['This did not work', 'Try again from the home page. The log of the demo says more.']
  return html`
  <h1>${title}</h1>
  <div class="card">
    <p>${text}</p>
    <p><a class="button" href="/">${kind === 'Database' ? 'Try again' : 'To the home page'}</a></p>
  </div>
`
}
