import { html } from './html.js'

const style = `
  :root { color-scheme: light dark; font: 17px/1.5 system-ui, sans-serif }
  body { max-width: 22rem; margin: 15vh auto; padding: 0 1rem }
  button { display: block; width: 100%; margin: .75rem 0; padding: .75rem; font: inherit; cursor: pointer }
`

/** The page of the OpenID provider: who are you? */
export function chooser(path: string, people: { sub: string; name: string; email: string }[]): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>OpenID provider</title>
  <style>${style}</style>
</head>
<body>
  <h1>Who are you?</h1>
  ${people.map(({ sub, name, email }) => html`<form method="post" action="${path}/${sub}"><button>${name} <small>${email}</small></button></form>`)}
</body>
</html>`.text
}
