import type { Assets } from '../assets.js'
import type { Mail } from '../mail.js'
import { devicesPage } from '../pages/devices.js'
import { startHero } from '../pages/hero.js'
import { html } from '../pages/html.js'
import { mailboxPage } from '../pages/mailbox.js'
import { openSite, outcomeOf } from '../site.js'
import type { DemoAuth } from './auth.js'
import { openForms } from './forms.js'
import { homePage } from './pages/home.js'
import { organizationsPage } from './pages/organizations.js'
import { signInPage } from './pages/signin.js'

interface Parts {
  auth: DemoAuth
  /** The name of the database. */
  database: string
  mails: Mail[]
  assets: Assets
  log(line: string): void
}

const library = 'Better Auth'
const titles = { '/': 'Home', '/organizations': 'Organizations', '/devices': 'Devices', '/mailbox': 'Mailbox' }

const mailTexts = {
  about: 'A link confirms an address, or leads to an invitation.',
  none: 'Create an account, and the mail appears here.',
  start: 'Create an account',
  open: 'Open the link',
}

/** The pages of the demo with Better Auth. */
export function openRoutes({ auth, database, mails, assets, log }: Parts) {
  const { page, problem, forUsers, serve } = openSite({ library, database, strategy: 'database', titles })

  const personal = forUsers({
    async whoIs({ headers }) {
      const { response, headers: set } = await auth.api.getSession({ headers, returnHeaders: true })
      return { user: response, cookies: set.getSetCookie() }
    },
    signInPage,
    hero: startHero({
      library,
      database,
      title: html`Sign up. Invite a team.`,
      beside: 'the mailbox is',
      first: html`<strong>Create an account</strong>, confirm its address in the mailbox, and start an organization.`,
      other: html`For Auth.js, with magic links, codes, OpenID Connect and passkeys, start the demo with <code>npm start</code>.`,
    }),
  })

  const organizationsOf = async (headers: Headers) => {
    const organizations = await auth.api.listOrganizations({ headers })
    return Promise.all(
      organizations.map(async ({ id, name }) => {
        const query = { organizationId: id }
        const [{ members }, invitations] = await Promise.all([
          auth.api.listMembers({ headers, query }),
          auth.api.listInvitations({ headers, query }),
        ])
        const invited = invitations.filter(({ status }) => status === 'pending').map(({ email }) => email)
        return { id, name, invited, members: members.map(({ userId, role, user }) => ({ userId, role, email: user.email })) }
      }),
    )
  }

  return serve({
    assets,
    log,
    auth: auth.handler,
    pages: {
      '/': personal(async ({ user }, _, { error }) => homePage(user, error)),
      '/organizations': personal(async ({ user }, { headers }, { error }) => {
        // Better Auth shows invitations only to users whose address is confirmed.
        const invitations = user.emailVerified ? await auth.api.listUserInvitations({ headers }) : []
        return organizationsPage({ user, organizations: await organizationsOf(headers), invitations, error })
      }),
      '/devices': personal(async ({ session }, { headers }) => {
        const sessions = await auth.api.listSessions({ headers })
        const devices = sessions.map(({ id, userAgent = null, ipAddress: ip = null, createdAt, expiresAt }) => ({
          id,
          userAgent,
          ip,
          signedInAt: createdAt,
          expires: expiresAt,
          current: id === session.id,
        }))
        return devicesPage(devices, 'database')
      }),
      '/mailbox': () => page('/mailbox', mailboxPage(mails, mailTexts)),
      '/problem': (_, url) => problem(outcomeOf(url).error ?? ''),
    },
    forms: openForms(auth, Object.keys(titles)),
  })
}
