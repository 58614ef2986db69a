import { existsSync } from 'node:fs'
import { posix, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'
import { repositoryAddress, root } from './package.js'
import { pageOf } from './pages.js'

/**
 * Converts links for the site. In Markdown, they are written for GitHub: to files, relative to the file that has the link. A link to a page
 * becomes a link to that page on the site. A link to any other file becomes a link to the repository, or plain text while package.json
 * names no repository.
 */
export function linkToPages(md: MarkdownRenderer): void {
  md.core.ruler.push('link-to-pages', ({ tokens, env }) => {
    const file = relative(root, env.realPath ?? env.path).replaceAll('\\', '/')
    for (const { children } of tokens) {
      if (!children) continue
      let removed = false
      for (const token of children) {
        if (token.type === 'link_open') {
          const target = targetOf(file, token.attrGet('href') ?? '')
          removed = target === undefined
          if (target !== undefined) token.attrSet('href', target)
        }
        if (removed && (token.type === 'link_open' || token.type === 'link_close')) {
          token.type = 'text'
          token.content = ''
        }
      }
    }
  })
}

function targetOf(file: string, href: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return href
  const [path = '', hash] = href.split('#')
  const linked = posix.join(posix.dirname(file), decodeURI(path))
  if (!existsSync(`${root}/${linked}`)) throw new Error(`${file} links to ${href}, which does not exist`)
  const anchor = hash === undefined ? '' : `#${hash}`
  const page = pageOf(linked)
  if (page) return `/${page}${anchor}`
  return repositoryAddress && `${repositoryAddress}/blob/HEAD/${linked}${anchor}`
}
