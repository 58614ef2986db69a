import type { Page } from 'playwright-core'

/** The text of the page's main heading. */
export const heading = async (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

/** The alert on the page that contains this text. */
export const problem = (page: Page, text = '') => page.getByRole('alert').filter({ hasText: text })

export const waitForGreeting = (page: Page) => page.getByRole('heading', { name: /^Hello/ }).waitFor()

/** Requests a magic link, and reads it from the demo's mailbox. */
export async function askForLink(page: Page, email: string): Promise<string> {
  await page.goto('/')
  const form = page.getByRole('form', { name: 'Magic link or code' })
  await form.getByLabel('Email address').fill(email)
  await form.getByRole('button', { name: 'Send me a link' }).click()
  await page.waitForURL('**/mailbox*')
  const mail = page.locator('.mails li', { hasText: `To ${email},` }).first()
  return (await mail.getByRole('link', { name: 'Sign in' }).getAttribute('href')) ?? ''
}

/** Opens a magic link and confirms the sign-in. */
async function useLink(page: Page, link: string) {
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signInByLink(page: Page, email: string) {
  await useLink(page, await askForLink(page, email))
  await waitForGreeting(page)
}

/** Fills in the password form, and submits it with one of its buttons. */
async function sendPassword(page: Page, email: string, password: string, button: string) {
  await page.goto('/')
  const form = page.getByRole('form', { name: 'Password' })
  // With Auth.js, the form is hidden until its title is clicked.
  if (!(await form.isVisible())) await page.getByText('Use a password').click()
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button', { name: button }).click()
}

export async function signUpByPassword(page: Page, email: string, password: string) {
  await sendPassword(page, email, password, 'Create an account')
  await waitForGreeting(page)
}

/** Waits until the user is signed in, or until the form says what is wrong. */
export async function signInByPassword(page: Page, email: string, password: string) {
  await sendPassword(page, email, password, 'Sign in with a password')
  await page
    .getByRole('heading', { name: /^Hello/ })
    .or(problem(page))
    .waitFor()
}

/** Requests a code, and reads it from the demo's mailbox. The page stays on the form that asks for the code. */
export async function askForCode(page: Page, email: string): Promise<string> {
  await page.goto('/')
  const form = page.getByRole('form', { name: 'Magic link or code' })
  await form.getByLabel('Email address').fill(email)
  await form.getByRole('button', { name: 'Send me a code' }).click()
  await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
  const mailbox = await page.context().newPage()
  await mailbox.goto('/mailbox')
  const mail = mailbox.locator('.mails li', { hasText: `To ${email},` }).first()
  const subject = await mail.getByRole('heading').textContent()
  await mailbox.close()
  return /^\d{6}/.exec(subject ?? '')?.[0] ?? ''
}

export async function enterCode(page: Page, code: string) {
  await page.getByLabel('Code').fill(code)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signInByOpenId(page: Page, name: 'Ada' | 'Bob') {
  await page.goto('/')
  await page.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
  await page.getByRole('button', { name }).click()
  await waitForGreeting(page)
}

/** Adds a virtual authenticator to the page's browser. It stores passkeys and confirms every request. */
export async function addDevice(page: Page) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { remove: () => cdp.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }) }
}

/** Submits the form for a new account with a passkey. */
async function createPasskey(page: Page, email: string) {
  await page.goto('/')
  await page.getByText('Create an account with a passkey').click()
  await page.getByRole('form', { name: 'New passkey' }).getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Create my passkey' }).click()
}

export async function signUpByPasskey(page: Page, email: string) {
  await createPasskey(page, email)
  await waitForGreeting(page)
}

/**
 * Signs in, with retries: in one signature of a hundred, r or s begins with a zero byte, and @simplewebauthn/server 9, the version that
 * Auth.js requires, wrongly rejects those.
 */
export async function signInByPasskey(page: Page) {
  const rejection = problem(page, 'This passkey was not accepted.')
  const answer = page.getByRole('heading', { name: /^Hello/ }).or(rejection)
  for (let tries = 0; tries < 5; tries++) {
    await page.goto('/')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await answer.waitFor()
    if (!(await rejection.isVisible())) break
  }
  await waitForGreeting(page)
}

const signInTitle = (page: Page) => page.getByRole('heading', { name: 'Sign in', exact: true })

/** Waits until the page asks to sign in. */
const waitUntilSignedOut = (page: Page) => signInTitle(page).waitFor()

export async function signOut(page: Page) {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await waitUntilSignedOut(page)
}

/** The session token in the cookie. Better Auth adds a signature to it. */
export async function sessionCookie(page: Page): Promise<string | undefined> {
  const cookies = await page.context().cookies()
  return cookies.find(({ name }) => ['authjs.session-token', 'better-auth.session_token'].includes(name))?.value.split('.')[0]
}
