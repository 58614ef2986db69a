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

// By the promise or the requirement of docs/promises.md that each of them guards.
const severities = {
  // Nobody gets in as somebody else.
  'loose-collation': 'error',
  'reused-ids': 'warning',
  // One winner: of a token, an account, an email, on every node.
  'not-unique': 'error',
  capitals: 'warning',
  'no-account': 'warning',
  'sync-wait': 'warning',
  // What is stored is what was given.
  'missing-table': 'error',
  'missing-column': 'error',
  'wrong-type': 'error',
  'required-column': 'error',
  'too-short': 'error',
  'small-integer': 'error',
  'no-milliseconds': 'error',
  'ends-in-2038': 'error',
  'pending-migration': 'error',
  // Deleting a user deletes everything of theirs.
  'missing-foreign-key': 'warning',
  'not-cascading': 'warning',
  'not-enforced': 'warning',
  orphans: 'warning',
  // Cost.
  'missing-index': 'warning',
  // Requirements of the connection and the tables.
  'sql-mode': 'error',
  autocommit: 'error',
  'character-set': 'error',
  'date-style': 'warning',
  'changes-rows': 'warning',
  'drizzle-build': 'warning',
  // Who can read the tables.
  exposed: 'error',
  'plain-secrets': 'warning',
  // What could not be checked.
  hidden: 'warning',
} as const

/** The kinds of findings. */
export type FindingCode = keyof typeof severities

type Details = { [Name in Exclude<keyof Finding, 'code' | 'message'>]?: Finding[Name] | undefined }

/** A finding with the severity of its code. */
export function finding(code: FindingCode, message: string, details: Details = {}): Finding {
  const { severity = severities[code], table, column, fix, line } = details
  const found = { code, severity, table, column, message, fix, line }
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as unknown as Finding
}

/** The address of a page of the documentation. */
export const pageUrl = (page: string) => `https://github.com/OWNER/drizzle-auth-adapter/blob/main/docs/${page}`

/** The message of an error without the clause about `onError`, an option of the adapter. */
export const withoutHook = (message: string) => message.replace(/;[^;[(]*\bonError\b[^;[(]*?(?=\s*[;[(]|$)/, '')
