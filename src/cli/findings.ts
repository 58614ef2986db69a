import { visible } from './terminal.js'

interface Described {
  severity: string
  code: string
  table?: string
  column?: string
  message: string
  fix?: string
}

/** A finding in one or two lines. It may contain names from the database, which must not begin a line of their own. */
export function findingLines({ severity, code, table, column, message, fix }: Described): string[] {
  const place = [table, column].filter(Boolean).join('.')
  return [`${severity.padEnd(9)}${place && `${place}: `}${message} [${code}]`, ...(fix ? [`${' '.repeat(9)}fix: ${fix}`] : [])].map(visible)
}
