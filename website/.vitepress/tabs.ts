import type { MarkdownRenderer } from 'vitepress'

type Token = ReturnType<MarkdownRenderer['parse']>[number]

/**
 * Renders tabs, which are plain Markdown on GitHub. Between the comments, each paragraph that is only bold text is the label of a tab:
 *
 *     <!-- tabs -->
 *     **PostgreSQL**
 *     …
 *     **MySQL**
 *     …
 *     <!-- /tabs -->
 */
export function tabs(md: MarkdownRenderer): void {
  md.core.ruler.push('tabs', (state) => {
    let open: { token: Token; labels: string[] } | undefined
    const result: Token[] = []
    const write = (content: string) => {
      const token = new state.Token('html_block', '', 0)
      token.content = content
      result.push(token)
      return token
    }
    for (let at = 0; at < state.tokens.length; at++) {
      const token = state.tokens[at] as Token
      const comment = token.type === 'html_block' && /^<!-- (\/?tabs) -->\s*$/.exec(token.content)?.[1]
      const label = open && labelAt(state.tokens, at)
      if (comment === 'tabs') {
        open = { token: write(''), labels: [] }
      } else if (comment && open) {
        if (open.labels.length === 0) throw new Error(`${state.env.path}: no line between <!-- tabs --> and <!-- /tabs --> is a **label**`)
        open.token.content = `<ChoiceTabs :labels="${md.utils.escapeHtml(JSON.stringify(open.labels))}">`
        write('</template></ChoiceTabs>')
        open = undefined
      } else if (open && label) {
        write(`${open.labels.length > 0 ? '</template>' : ''}<template #tab${open.labels.length}>`)
        open.labels.push(label)
        at += 2
      } else {
        result.push(token)
      }
    }
    if (open) throw new Error(`${state.env.path}: <!-- tabs --> without <!-- /tabs -->`)
    state.tokens = result
  })
}

/** Without JavaScript, all tabs are shown one below the other, each under its label. */
export const tabsWithoutScript = [
  '.choice-tabs [role="tablist"] { display: none }',
  '.choice-tabs [role="tabpanel"] { display: block !important }',
  '.choice-tabs [role="tabpanel"]::before { content: attr(data-label); font-weight: 600 }',
].join(' ')

/** The text of a paragraph that consists only of bold text. */
function labelAt(tokens: Token[], at: number): string | undefined {
  if (tokens[at]?.type !== 'paragraph_open') return undefined
  const [first, text, last, ...more] = (tokens[at + 1]?.children ?? []).filter(({ type, content }) => type !== 'text' || content)
  return first?.type === 'strong_open' && last?.type === 'strong_close' && more.length === 0 ? text?.content : undefined
}
