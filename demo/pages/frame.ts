import type { Html } from './html.js'
import { html } from './html.js'

export interface Frame {
  database: string
  strategy: 'database' | 'jwt'
}

/** A whole page: its content, and beside it the tables. */
export function framed(content: Html, { database, strategy }: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>drizzle-auth-adapter demo</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/style.css">
  <script type="module" src="/index.js"></script>
</head>
<body>
  <a class="skip" href="#content">Skip to the content</a>
  <header>
    <a class="name" href="/">drizzle-auth-adapter</a>
    <nav aria-label="Pages"><a href="/">Home</a><a href="/devices">Devices</a><a href="/tokens">Token</a><a href="/mailbox">Mailbox</a></nav>
    <p class="facts"><span>${database}</span><span>${strategy} sessions</span></p>
  </header>
  <div class="columns">
    <main id="content" tabindex="-1">${content}</main>
    <section id="live" aria-label="The database, live">
      <p class="hint">The tables appear here as they change. This part needs JavaScript.</p>
    </section>
  </div>
</body>
</html>`.text
}
