import type { Html } from './html.js'
import { html } from './html.js'
import { logo } from './icons.js'

export interface Frame {
  library: 'Auth.js' | 'Better Auth'
  database: string
  strategy: 'database' | 'jwt'
  /** The pages in the menu: their titles by their paths. */
  titles: Record<string, string>
}

interface Page {
  path: string
  content: Html
  /** The introduction on the start page, above both columns. */
  hero?: Html | undefined
}

const navigation = (titles: Frame['titles'], path: string) =>
  Object.entries(titles).map(([href, title]) => html`<a href="${href}"${href === path ? html` aria-current="page"` : ''}>${title}</a>`)

/** The HTML of a whole page: its content, and the live tables. */
export function framed({ path, content, hero }: Page, { library, database, strategy, titles }: Frame): string {
  return html`<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${titles[path] ? `${titles[path]} · ` : ''}drizzle-auth-adapter demo</title>
  <link rel="icon" href="data:,">
  <link rel="stylesheet" href="/style.css">
  <script type="module" src="/index.js"></script>
</head>
<body>
  <a class="skip" href="#content">Skip to the content</a>
  <header>
    <a class="name" href="/">${logo} drizzle-auth-adapter</a>
    <nav aria-label="Pages">${navigation(titles, path)}</nav>
    <p class="facts"><span>${library}</span><span>${database}</span><span>${strategy} sessions</span></p>
  </header>
  ${hero ? html`<section class="hero" aria-label="What to look at">${hero}</section>` : ''}
  <div class="columns">
    <main id="content" tabindex="-1">${content}</main>
    <section id="live" aria-label="The database, live" data-library="${library}" data-sessions="${strategy}">
      <p class="hint">The tables appear here as they change. This part needs JavaScript.</p>
    </section>
  </div>
</body>
</html>`.text
}
