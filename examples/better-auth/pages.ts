import { html } from 'hono/html'

interface Account {
  email: string
  /** The ways to sign in other than passkeys: `credential` is a password. */
  providers: string[]
  passkeys: string[]
  organizations: { id: string; name: string; members: { email: string; role: string }[] }[]
  invitations: { id: string; organizationName: string }[]
}

type Content = ReturnType<typeof html>

// client.ts has the actions of the forms.
const page = (content: Content) => html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Better Auth</title>
  <script type="module" src="/client.js"></script>
</head>
<body>
  ${content}
  <p role="alert"></p>
</body>
</html>`

const list = (items: (string | Content)[]) => html`<ul>${items.map((item) => html`<li>${item}</li>`)}</ul>`

export const signInPage = () =>
  page(html`
  <h1>Nobody is signed in</h1>
  <form data-action="signUp" aria-label="Sign up">
    <label>Name <input name="name" autocomplete="name" required></label>
    <label>Email <input name="email" type="email" autocomplete="email" required></label>
    <label>Password <input name="password" type="password" autocomplete="new-password" minlength="8" required></label>
    <button>Sign up</button>
  </form>
  <form data-action="signIn" aria-label="Sign in">
    <label>Email <input name="email" type="email" autocomplete="username" required></label>
    <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
    <button>Sign in</button>
  </form>
  <form data-action="signInWithProvider"><button>Sign in with OpenID Connect</button></form>
  <form data-action="signInWithPasskey"><button>Sign in with a passkey</button></form>`)

export const accountPage = ({ email, providers, passkeys, organizations, invitations }: Account) =>
  page(html`
  <h1>Signed in as ${email}</h1>
  <form data-action="signOut"><button>Sign out</button></form>

  <h2>Ways to sign in</h2>
  ${list([...providers, ...passkeys])}
  <form data-action="linkProvider"><button>Link OpenID Connect</button></form>
  <form data-action="addPasskey">
    <label>Name of the passkey <input name="name" required></label>
    <button>Add a passkey</button>
  </form>

  <h2>Organizations</h2>
  ${organizations.map(
    ({ id, name, members }) => html`
  <section aria-label="${name}">
    <h3>${name}</h3>
    ${list(members.map(({ email, role }) => `${email}: ${role}`))}
    <form data-action="invite">
      <input name="organizationId" type="hidden" value="${id}">
      <label>Email <input name="email" type="email" required></label>
      <button>Invite</button>
    </form>
  </section>`,
  )}
  ${invitations.map(
    ({ id, organizationName }) => html`
  <form data-action="acceptInvitation">
    <input name="invitationId" type="hidden" value="${id}">
    <button>Join ${organizationName}</button>
  </form>`,
  )}
  <form data-action="createOrganization">
    <label>Name of the organization <input name="name" required></label>
    <label>Short name <input name="slug" pattern="[a-z0-9-]+" required></label>
    <button>Create an organization</button>
  </form>`)
