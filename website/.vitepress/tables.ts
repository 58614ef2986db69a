import type { MarkdownRenderer } from 'vitepress'

/**
 * Renders tables: wide ones scroll, so they must be reachable with the keyboard. Names of packages and files break after a slash, and cells
 * with a sentence have the class `sentence`.
 */
export function tables(md: MarkdownRenderer): void {
  md.renderer.rules.table_open = () => '<table tabindex="0">\n'
  for (const type of ['text', 'code_inline'] as const) {
    const render = md.renderer.rules[type]
    if (!render) throw new Error(`There is no rule for ${type}`)
    md.renderer.rules[type] = (tokens, index, options, env, self) => {
      const html = render(tokens, index, options, env, self)
      return tokens[index]?.meta?.isInTable ? html.replace(/\/(?=\w)(?![^<]*>)/g, '/<wbr>') : html
    }
  }
  md.core.ruler.push('tables', ({ tokens }) => {
    let isInTable = false
    for (const [index, { type, children, content }] of tokens.entries()) {
      if (type === 'table_open' || type === 'table_close') isInTable = type === 'table_open'
      if (isInTable && content.length > 40) tokens[index - 1]?.attrJoin('class', 'sentence')
      if (isInTable) for (const child of children ?? []) child.meta = { ...child.meta, isInTable }
    }
  })
}
