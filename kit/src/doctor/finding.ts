/** Something that is unsafe, slow or about to break. It contains no values from rows. */
export interface Finding {
  /** The stable code of the problem, such as `not-unique` or `missing-index`. */
  code: FindingCode
  /** `error` if sign-ins fail, will fail or are unsafe, otherwise `warning`. */
  severity: 'error' | 'warning'
  /** The table's name in the database. Absent if the finding is about the server, the connection or the role. */
  table?: string
  /** The column's name in the database; several are joined by commas. */
  column?: string
  /** What is wrong, in one sentence. */
  message: string
  /** How to fix it: SQL, or what to change in your code. */
  fix?: string
  /** The line that the table lacks in the schema file. Apps that use drizzle-kit add it there, instead of running `fix`. */
  line?: string
}

const severities = {
  'missing-table': 'error',
  'missing-column': 'error',
  'wrong-type': 'error',
  'not-unique': 'error',
  'required-column': 'error',
  'too-short': 'error',
  'no-milliseconds': 'error',
  'ends-in-2038': 'error',
  'small-integer': 'error',
  'loose-collation': 'error',
  'two-owners': 'error',
  'wrong-credential': 'error',
  'pending-migration': 'error',
  exposed: 'error',
  'missing-index': 'warning',
  'missing-foreign-key': 'warning',
  'not-cascading': 'warning',
  'not-enforced': 'warning',
  orphans: 'warning',
  expired: 'warning',
  capitals: 'warning',
  'unreadable-password': 'warning',
  'no-time-zone': 'warning',
  'plain-secrets': 'warning',
  'row-security': 'warning',
  'changes-rows': 'warning',
  'no-account': 'warning',
  'sync-wait': 'warning',
  'sql-mode': 'error',
  autocommit: 'error',
  'ignored-default': 'warning',
  'date-style': 'warning',
  'time-zone': 'warning',
  'character-set': 'warning',
  'reused-ids': 'warning',
  'decimal-ids': 'warning',
  'excess-rights': 'warning',
  'read-only': 'warning',
  hidden: 'warning',
} as const

/** The kinds of findings. */
export type FindingCode = keyof typeof severities

/** A finding with the severity of its code. */
export function finding(code: FindingCode, message: string, details: Omit<Partial<Finding>, 'code' | 'message'> = {}): Finding {
  const { severity = severities[code], table, column, fix, line } = details
  return {
    code,
    severity,
    ...(table !== undefined && { table }),
    ...(column !== undefined && { column }),
    message,
    ...(fix !== undefined && { fix }),
    ...(line !== undefined && { line }),
  }
}

/** The address of a page of the documentation. */
export const pageUrl = (page: string) => `https://github.com/OWNER/drizzle-auth-adapter/blob/main/docs/${page}`

/** The message of an error without the clause about `onError`, an option of the adapter. */
export const withoutHook = (message: string) => message.replace(/;[^;[(]*\bonError\b[^;[(]*?(?=\s*[;[(]|$)/, '')
