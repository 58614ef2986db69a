import { breakable } from '../../pages/address.js'
import { emailField } from '../../pages/field.js'
import type { Html } from '../../pages/html.js'
import { html } from '../../pages/html.js'
import { problemAt } from '../../pages/problem.js'

interface Organization {
  id: string
  name: string
  members: { userId: string; email: string; role: string }[]
  /** The addresses that were invited and have not joined. */
  invited: string[]
}

interface Parts {
  user: { id: string; emailVerified: boolean }
  organizations: Organization[]
  invitations: { id: string; organizationName: string }[]
  error?: string | undefined
}

/** The page with the organizations of a user, and the invitations to others. */
export const organizationsPage = ({ user, organizations, invitations, error }: Parts): Html => html`
  <h1>Organizations</h1>
  ${problemAt(['organization', 'mail'], error)}
  ${user.emailVerified ? '' : html`<p class="lead">Invitations appear here once you have confirmed your address in the <a href="/mailbox">mailbox</a>.</p>`}
  ${invitations.length > 0 ? html`<ul class="list card" aria-label="Invitations">${invitations.map(invitationItem)}</ul>` : ''}
  ${organizations.map((organization) => organizationCard(organization, user.id))}
  <form class="card" method="post" action="/create-organization" aria-label="New organization">
    <label>Name of the new organization <input name="name" autocomplete="organization" maxlength="100" pattern=".*\\S.*" required placeholder="Analytical Engines" data-invalid="An organization needs a name."></label>
    <button${organizations.length > 0 ? html` class="plain"` : ''}>Create an organization</button>
  </form>
`

const invitationItem = ({ id, organizationName }: Parts['invitations'][number]) => html`
  <li>
    <span>You are invited to <strong>${organizationName}</strong></span>
    <form method="post" action="/join">
      <input type="hidden" name="invitation" value="${id}">
      <button class="small" aria-label="Join ${organizationName}">Join</button>
    </form>
  </li>`

function organizationCard({ id, name, members, invited }: Organization, userId: string): Html {
  const isOwner = members.some((member) => member.userId === userId && member.role === 'owner')
  const field = html`<input type="hidden" name="organization" value="${id}">`
  return html`
  <section class="card" aria-label="${name}">
    <div class="title">
      <h2>${name}</h2>
      <form method="post" action="${isOwner ? '/delete-organization' : '/leave'}">
        ${field}
        <button class="small" aria-label="${isOwner ? 'Delete' : 'Leave'} ${name}">${isOwner ? 'Delete' : 'Leave'}</button>
      </form>
    </div>
    <ul class="list">
      ${members.map(({ email, role }) => html`<li><span>${breakable(email)}</span> <span class="tag">${role}</span></li>`)}
      ${invited.map((email) => html`<li><span>${breakable(email)}</span> <span class="tag changed">invited</span></li>`)}
    </ul>
    ${
      isOwner
        ? html`
    <form method="post" action="/invite" aria-label="Invite to ${name}">
      ${field}
      ${emailField({ autocomplete: 'email' })}
      <button>Invite</button>
    </form>`
        : ''
    }
  </section>`
}
