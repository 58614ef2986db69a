import { visible } from './terminal.js'

interface Described {
  severity: string
  code: string
  table?: string
  column?: string
  message: string
  fix?: string
  line?: string
}

/**
 * A finding in one or two lines. It may contain names from the database, which must not begin a line of their own. With drizzle-kit, a line
 * for the schema file comes first: the next migration creates what it declares.
 */
export function findingLines({ severity, code, table, column, message, fix, line }: Described, usesKit = false): string[] {
  const place = [table, column].filter(Boolean).join('.')
  const first = usesKit && line ? `Add ${line} to your schema file, and run npx drizzle-kit generate.${fix ? ' Without it: ' : ''}` : ''
  const remedy = `${first}${fix ?? ''}`
  return [`${severity.padEnd(9)}${place && `${place}: `}${message} [${code}]`, ...(remedy ? [`${' '.repeat(9)}fix: ${remedy}`] : [])].map(
    visible,
  )
}
