import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin'

const sql = /^(select|begin|pragma|show)\b/

const texts = {
  StringLiteral: ({ value }) => value,
  TemplateLiteral: ({ quasis }) => quasis.map(({ value }) => value.raw).join(''),
}

/** Ignores the texts of messages: tests check their important words, and not each of them. */
export const strykerPlugins = [
  declareValuePlugin(PluginKind.Ignore, 'messages', {
    shouldIgnore({ node, parentPath }) {
      if (parentPath?.node.type === 'TaggedTemplateExpression') return undefined
      const text = texts[node.type]?.(node) ?? ''
      return text.includes(' ') && !sql.test(text) ? 'the text of a message' : undefined
    },
  }),
]
