import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import type { DefaultTheme } from 'vitepress'
import { entryPoints, root } from './package.js'

const moved: Record<string, string> = {
  'website/index.md': 'index.md',
  'README.md': 'introduction.md',
  'CHANGELOG.md': 'changelog.md',
}

/** The path on the site of a Markdown file of the repository, or `undefined` if it is not a page. */
export function pageOf(file: string): string | undefined {
  const [, path] = /^(?:docs|website(?=\/api\/))\/(.+\.md)$/.exec(file) ?? []
  return moved[file] ?? path?.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** The files of the repository that are not pages. */
export const excluded = readdirSync(root, { withFileTypes: true })
  .filter((entry) => !['docs', 'website', 'README.md', 'CHANGELOG.md'].includes(entry.name))
  .map((entry) => (entry.isDirectory() ? `${entry.name}/**` : entry.name))
  .concat('website/test/**')

/**
 * The order of the pages. A page that is not listed here comes at the end of the guides, and a listed page that does not exist is left out.
 * The hosts are in alphabetical order.
 */
const order = {
  start: ['README.md', 'docs/getting-started.md', 'docs/init.md', 'docs/better-auth.md'],
  guides: [
    'docs/tables.md',
    'docs/databases.md',
    'docs/recipes.md',
    'docs/moving.md',
    'docs/better-auth-moving.md',
    'docs/authjs-to-better-auth.md',
    'docs/authjs-tables.md',
    'docs/devices.md',
    'docs/passwords.md',
    'docs/magic-links.md',
    'docs/codes.md',
    'docs/access-tokens.md',
    'docs/secrets.md',
    'docs/tidying.md',
    'docs/doctor.md',
    'docs/many-machines.md',
    'docs/testing.md',
  ],
  reference: ['docs/promises.md', 'docs/versions.md', 'docs/entry-points.md', 'docs/errors.md', 'docs/matrix.md', 'CHANGELOG.md'],
  explanations: ['docs/architecture.md', 'docs/benchmarks.md', 'docs/official.md'],
}

const existing = readdirSync(`${root}/docs`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => posix.join('docs', file.replaceAll('\\', '/')))
  .concat('README.md', 'CHANGELOG.md')
  .sort()

const named = new Set(Object.values(order).flat())
const others = existing.filter((file) => !named.has(file) && !file.startsWith('docs/hosts/'))
const hosts = existing.filter((file) => file.startsWith('docs/hosts/') && file !== 'docs/hosts/README.md')

function items(files: string[]): DefaultTheme.SidebarItem[] {
  return files.filter((file) => existing.includes(file)).map((file) => ({ text: titleOf(file), link: `/${pageOf(file)}` }))
}

function titleOf(file: string): string {
  if (file === 'README.md') return 'Introduction'
  const [, title] = /^# (.+)$/m.exec(readFileSync(`${root}/${file}`, 'utf8')) ?? []
  if (!title) throw new Error(`${file} has no title. Begin the page with "# Title".`)
  return title.replaceAll('`', '')
}

/** The API reference, one page for each entry point. */
const api = entryPoints.map(({ name }) => ({ text: name.replace(/^[^/]+\//, ''), link: `/api/${name}.md` }))

export const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Getting started', items: items(order.start) },
  { text: 'Guides', items: items([...order.guides, ...others]) },
  { text: 'Hosts', collapsed: true, link: '/hosts/index.md', items: items(hosts) },
  { text: 'Reference', items: [...items(order.reference), { text: 'API', collapsed: true, link: '/api/index.md', items: api }] },
  { text: 'Explanations', items: items(order.explanations) },
]
