import type { Page } from 'playwright-core'

/** What the page says first. */
export const heading = async (page: Page) => page.getByRole('heading', { level: 1 }).textContent()

/** What the page says went wrong, where it happened. */
export const problem = (page: Page, text = '') => page.getByRole('alert').filter({ hasText: text })

const hello = (page: Page) => page.getByRole('heading', { name: /^Hello/ }).waitFor()

/** Asks for a magic link, and takes it out of the mailbox. */
export async function askForLink(page: Page, email: string): Promise<string> {
  await page.goto('/')
  const form = page.getByRole('form', { name: 'Magic link or code' })
  await form.getByLabel('Email address').fill(email)
  await form.getByRole('button', { name: 'Send me a link' }).click()
  await page.waitForURL('**/mailbox*')
  const mail = page.locator('.mails li', { hasText: `To ${email},` }).first()
  return (await mail.getByRole('link', { name: 'Sign in' }).getAttribute('href')) ?? ''
}

/** Opens a link and clicks. */
export async function useLink(page: Page, link: string) {
  await page.goto(link)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export async function signInByLink(page: Page, email: string) {
  await useLink(page, await askForLink(page, email))
  await hello(page)
}

/** Fills in the form for passwords, and sends it by one of its buttons. */
export async function sendPassword(page: Page, email: string, password: string, button: string) {
  await page.goto('/')
  await page.getByText('Use a password').click()
  const form = page.getByRole('form', { name: 'Password' })
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Password').fill(password)
  await form.getByRole('button', { name: button }).click()
}

export async function signUpByPassword(page: Page, email: string, password: string) {
  await sendPassword(page, email, password, 'Create an account')
  await hello(page)
}

/** Leads to the account, or back to the form, which says what is wrong. */
export async function signInByPassword(page: Page, email: string, password: string) {
  await sendPassword(page, email, password, 'Sign in with a password')
  await page
    .getByRole('heading', { name: /^Hello/ })
    .or(problem(page))
    .waitFor()
}

/** Asks for a code, and takes it out of the mailbox. The page then waits for it. */
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

/** Answers the OpenID provider, which asks who it is. */
async function choose(page: Page, name: 'Ada' | 'Bob') {
  await page.getByRole('button', { name }).click()
}

export async function signInByOpenId(page: Page, name: 'Ada' | 'Bob') {
  await page.goto('/')
  await page.getByRole('button', { name: 'Continue with OpenID Connect' }).click()
  await choose(page, name)
  await hello(page)
}

export async function linkOpenId(page: Page, name: 'Ada' | 'Bob') {
  await page.goto('/')
  await page.getByRole('button', { name: 'Link OpenID Connect' }).click()
  await choose(page, name)
}

/** Gives the page's browser a device that keeps passkeys and says yes to everything. */
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

/** Asks for a new account with a passkey. */
export async function createPasskey(page: Page, email: string) {
  await page.goto('/')
  await page.getByText('Create an account with a passkey').click()
  await page.getByRole('form', { name: 'New passkey' }).getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Create my passkey' }).click()
}

export async function signUpByPasskey(page: Page, email: string) {
  await createPasskey(page, email)
  await hello(page)
}

/**
 * One signature in a hundred has a number that begins with a zero byte, and @simplewebauthn/server 9, the version that Auth.js wants,
 * takes it for wrong. People try again.
 */
export async function signInByPasskey(page: Page) {
  const refusal = problem(page, 'This passkey was not accepted.')
  const answer = page.getByRole('heading', { name: /^Hello/ }).or(refusal)
  for (let tries = 0; tries < 5; tries++) {
    await page.goto('/')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await answer.waitFor()
    if (!(await refusal.isVisible())) break
  }
  await hello(page)
}

const signInTitle = (page: Page) => page.getByRole('heading', { name: 'Sign in', exact: true })

/** Whether the page asks to sign in. */
export const isSignedOut = (page: Page) => signInTitle(page).isVisible()

/** Waits until the page asks to sign in. */
export const signedOut = (page: Page) => signInTitle(page).waitFor()

export async function signOut(page: Page) {
  await page.goto('/')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await signedOut(page)
}

/** The value of the session's cookie. */
export async function sessionCookie(page: Page): Promise<string | undefined> {
  return (await page.context().cookies()).find(({ name }) => name === 'authjs.session-token')?.value
}
