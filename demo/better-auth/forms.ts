import { problemUrl } from '../pages/problem.js'
import { seeOther } from '../site.js'
import type { DemoAuth } from './auth.js'
import { failureOf } from './failure.js'

type Form = (request: Request, form: FormData) => Promise<Response>

interface Outcome {
  /** The path after success. */
  next: string
  /** The kind of problem if Better Auth refuses, unless the reason has a kind of its own. */
  refusal?: string
  /** The submitted address, to fill in the form again. */
  email?: string
}

/** Redirects after an answer of Better Auth, and sets its cookies. */
async function follow(answer: Response, { next, refusal = 'Unknown', email = '' }: Outcome): Promise<Response> {
  const response = seeOther(answer.ok ? next : problemUrl(await failureOf(answer, refusal), email))
  for (const cookie of answer.headers.getSetCookie()) response.headers.append('set-cookie', cookie)
  return response
}

/** An address for an organization: letters and digits of its name, or anything that is new. */
const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || crypto.randomUUID()

/** The forms by their paths. `paths` are those of the pages to which a sign-in may lead. */
export function openForms({ api }: DemoAuth, paths: string[]): Record<string, Form> {
  /** A form of signed-in users. Everybody else is asked to sign in. */
  const personal =
    (submit: Form): Form =>
    async (request, form) =>
      (await api.getSession({ headers: request.headers })) ? submit(request, form) : seeOther('/')

  /** A form about an organization. */
  const organization = (submit: (headers: Headers, field: (name: string) => string) => Promise<Response>) =>
    personal(async ({ headers }, form) =>
      follow(await submit(headers, (name) => String(form.get(name)).trim()), { next: '/organizations', refusal: 'Organization' }),
    )

  return {
    async '/sign-in'({ headers }, form) {
      const [email, password, path] = [String(form.get('email')).trim(), String(form.get('password')), String(form.get('next'))]
      const body = { email, password }
      const answer = form.has('create')
        ? await api.signUpEmail({ headers, body: { ...body, name: email.split('@')[0] ?? '' }, asResponse: true })
        : await api.signInEmail({ headers, body, asResponse: true })
      return follow(answer, { next: paths.includes(path) ? path : '/', refusal: 'CredentialsSignin', email })
    },
    '/sign-out': async ({ headers }) => follow(await api.signOut({ headers, asResponse: true }), { next: '/' }),
    '/delete': personal(async ({ headers }) => follow(await api.deleteUser({ headers, body: {}, asResponse: true }), { next: '/' })),

    // Better Auth revokes sessions by their tokens, which no page should contain. So the form has the id.
    '/revoke': personal(async ({ headers }, form) => {
      const sessions = await api.listSessions({ headers })
      const token = sessions.find(({ id }) => id === form.get('session'))?.token ?? ''
      return follow(await api.revokeSession({ headers, body: { token }, asResponse: true }), { next: '/devices' })
    }),
    '/revoke-others': personal(async ({ headers }) =>
      follow(await api.revokeOtherSessions({ headers, asResponse: true }), { next: '/devices' }),
    ),
    '/revoke-all': personal(async ({ headers }) => {
      await api.revokeSessions({ headers })
      // Deletes the cookie as well.
      return follow(await api.signOut({ headers, asResponse: true }), { next: '/' })
    }),

    '/create-organization': organization((headers, field) =>
      api.createOrganization({ headers, body: { name: field('name'), slug: slugOf(field('name')) }, asResponse: true }),
    ),
    '/delete-organization': organization((headers, field) =>
      api.deleteOrganization({ headers, body: { organizationId: field('organization') }, asResponse: true }),
    ),
    '/leave': organization((headers, field) =>
      api.leaveOrganization({ headers, body: { organizationId: field('organization') }, asResponse: true }),
    ),
    '/invite': organization((headers, field) =>
      api.createInvitation({
        headers,
        body: { organizationId: field('organization'), email: field('email'), role: 'member' },
        asResponse: true,
      }),
    ),
    '/join': organization((headers, field) =>
      api.acceptInvitation({ headers, body: { invitationId: field('invitation') }, asResponse: true }),
    ),
  }
}
