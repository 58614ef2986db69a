import { passkeyClient } from '@better-auth/passkey/client'
import { createAuthClient } from 'better-auth/client'
import { organizationClient } from 'better-auth/client/plugins'

const client = createAuthClient({ plugins: [passkeyClient(), organizationClient()] })

type Fields = Record<'name' | 'email' | 'password' | 'slug' | 'organizationId' | 'invitationId', string>
type Result = { data?: unknown; error?: { message?: string } | null }

/** What the forms of the pages do, by their `data-action`. */
const actions: Record<string, (fields: Fields) => Promise<Result>> = {
  signUp: ({ name, email, password }) => client.signUp.email({ name, email, password }),
  signIn: ({ email, password }) => client.signIn.email({ email, password }),
  signInWithProvider: () => client.signIn.social({ provider: 'oidc', callbackURL: '/' }),
  signInWithPasskey: () => client.signIn.passkey(),
  signOut: () => client.signOut(),
  linkProvider: () => client.linkSocial({ provider: 'oidc', callbackURL: '/' }),
  addPasskey: ({ name }) => client.passkey.addPasskey({ name }),
  createOrganization: ({ name, slug }) => client.organization.create({ name, slug }),
  invite: ({ organizationId, email }) => client.organization.inviteMember({ organizationId, email, role: 'member' }),
  acceptInvitation: ({ invitationId }) => client.organization.acceptInvitation({ invitationId }),
}

for (const form of document.forms)
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { data, error } = await actions[form.dataset.action ?? ''](Object.fromEntries(new FormData(form)) as Fields)
    const alert = document.querySelector('[role=alert]')
    if (error && alert) alert.textContent = error.message ?? 'Something went wrong'
    // The client follows redirects to the provider by itself.
    else if (!(data as { redirect?: boolean } | null)?.redirect) location.reload()
  })
