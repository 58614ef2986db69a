/** The plan would fail or lose data until all errors are fixed. */
const severities = {
  'missing-table': 'error',
  'two-tables': 'error',
  duplicates: 'error',
  'case-collisions': 'error',
  orphans: 'error',
  'too-long': 'error',
  'too-large': 'error',
  'character-set': 'error',
  'unreadable-dates': 'error',
  'needs-value': 'error',
  'wrong-type': 'error',
  'in-use': 'error',
  trigger: 'error',
  'row-security': 'error',
  privileges: 'error',
  'name-in-use': 'error',
  'unsupported-table': 'error',
  'unsafe-text': 'error',
  'wrong-time-zone': 'error',
  'required-column': 'error',
  'no-email': 'error',
  'not-lower-case': 'error',
  'reserved-provider': 'error',
  'encrypted-tokens': 'error',
  'name-too-long': 'error',
  unfinished: 'error',
  'no-undo': 'warning',
  policies: 'warning',
  capitals: 'warning',
  'no-address': 'warning',
  'decimal-ids': 'warning',
  'text-dates': 'warning',
  'missing-key': 'warning',
  'other-tables': 'warning',
  'other-columns': 'warning',
  'undeclared-columns': 'warning',
  collation: 'warning',
  'dropped-default': 'warning',
  'time-zone': 'warning',
  rebuild: 'warning',
  'old-tables': 'warning',
  moved: 'warning',
  'written-since': 'warning',
  'old-secrets': 'warning',
  'other-providers': 'warning',
  'account-ids': 'warning',
  'session-end': 'warning',
  'password-hashes': 'warning',
  'no-passkeys': 'warning',
  'pending-links': 'warning',
} as const

type Place = [table?: string, column?: string | string[] | undefined]

/** An error or warning about the plan. Like a finding of the doctor, it contains no values from rows. */
export interface Notice {
  code: keyof typeof severities
  severity: 'error' | 'warning'
  table?: string
  column?: string
  message: string
  fix?: string
  /** Statements to run, before the plan and after it. They may have several lines. */
  run?: { before: string[]; after: string[] }
}

export function notice(code: Notice['code'], [table, column]: Place, message: string, fix?: string): Notice {
  const names = Array.isArray(column) ? column.join(', ') : column
  return {
    code,
    severity: severities[code],
    ...(table !== undefined && { table }),
    ...(names !== undefined && { column: names }),
    message,
    ...(fix !== undefined && { fix }),
  }
}

export const inWords = (found: number, what = 'row') => `${found.toLocaleString('en')} ${what}${found === 1 ? '' : 's'}`

/** A name that the plan needs and that is already in use. */
export const nameInUse = (name: string) =>
  notice(
    'name-in-use',
    [],
    `the plan needs the name ${name}, which is already in use`,
    'Rename or drop the object with this name before you run the plan.',
  )
