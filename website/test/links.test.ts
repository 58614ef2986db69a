import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { site } from './site.js'

const base = process.env.DOCS_BASE || '/'

/** The file of the site for a path. */
function fileOf(pathname: string): string {
  const path = decodeURI(pathname).slice(base.length)
  if (path === '' || path.endsWith('/')) return `${path}index.html`
  return existsSync(join(site, `${path}.html`)) ? `${path}.html` : path
}

test('every link of the site leads to a page and a heading that exist', async () => {
  const pages = (await readdir(site, { recursive: true })).filter((file) => file.endsWith('.html'))
  const texts = new Map<string, string>()
  for (const page of pages) texts.set(page, await readFile(join(site, page), 'utf8'))

  const broken: string[] = []
  let seen = 0
  for (const [page, text] of texts) {
    for (const [, link = ''] of text.matchAll(/<(?:a|img|link|script)\b[^>]*? (?:href|src)="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(link.replaceAll('&amp;', '&'), `http://site${base}${page}`)
      if (origin !== 'http://site') continue
      seen++
      const file = fileOf(pathname)
      const anchor = decodeURIComponent(hash.slice(1))
      if (!existsSync(join(site, file))) broken.push(`${page}: ${link}`)
      else if (anchor && !texts.get(file)?.includes(` id="${anchor}"`)) broken.push(`${page}: ${link} (no such heading)`)
    }
  }
  expect(broken).toEqual([])
  expect(seen).toBeGreaterThan(pages.length)
})
