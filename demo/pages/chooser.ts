import type { Html } from './html.js'
import { html } from './html.js'
import { openIdIcon } from './icons.js'

interface Person {
  sub: string
  name: string
  email: string
}

/** A page of the OpenID provider, with the style sheet of the application at this origin. */
const provided = (origin: string, content: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>OpenID provider</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="${origin}/style.css">
</head>
<body class="provider">
  <main class="card">${content}</main>
</body>
</html>`.text

/** The page on which users choose a person to sign in as. */
export const chooser = (origin: string, path: string, people: Person[]): string =>
  provided(
    origin,
    html`
    ${openIdIcon}
    <h1>Who are you?</h1>
    <p class="lead">drizzle-auth-adapter demo asks for your name and email address.</p>
    ${people.map(
      ({ sub, name, email }) => html`
    <form method="post" action="${path}/${sub}">
      <button class="person"><span class="avatar" aria-hidden="true">${name[0]}</span> <span><strong>${name}</strong> <small>${email}</small></span></button>
    </form>`,
    )}
    <form method="post" action="${path}/nobody"><button class="quiet">Cancel</button></form>
    <p class="hint">This OpenID provider runs beside the demo. It asks for no password.</p>`,
  )

/** The page for a choice that was made already, or too late. */
export const chooserEnded = (origin: string): string =>
  provided(
    origin,
    html`
    <h1>This choice is over</h1>
    <p class="lead">Go back to the demo and start again.</p>
    <p><a class="button" href="${origin}/">To the demo</a></p>`,
  )
