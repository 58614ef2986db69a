const error = (message = '', fix?: string) => ({ severity: 'error' as const, message, fix })
const warning = (message = '', fix?: string) => ({ severity: 'warning' as const, message, fix })

const giveValue = 'Give them a value, or delete them, before you run the plan.'
const decide = 'Decide which rows to keep, and delete or change the others before you run the plan.'
const passZone = "Run SELECT @@time_zone through your app's connection, and pass the result as --time-zone."

/** The severity of each code, and its words unless they depend on the case. The plan would fail or lose data until all errors are fixed. */
const kinds = {
  'missing-table': error(),
  'two-tables': error('', 'If one is new and empty, drop it. If another app uses it, rename it, or give your tables other names.'),
  duplicates: error('duplicate rows, which the new key does not allow', decide),
  'case-collisions': error('email addresses that become the same in lower case, as they are stored and compared', decide),
  orphans: error('rows of users that do not exist, which the new foreign key does not allow'),
  'too-long': error('', 'Shorten or delete them, or declare a longer column.'),
  'too-large': error('', 'Correct them, or declare a larger column.'),
  'character-set': error('', 'Change them, or declare a column in utf8mb4.'),
  'unreadable-dates': error('values that cannot be read as dates', 'Write them in UTC, such as 2030-01-31 12:30:00, or delete them.'),
  'needs-value': error('the column is required, and some rows have no value for it', giveValue),
  'wrong-type': error(),
  'in-use': error('', 'Drop these before you run the plan, and create them again afterwards, with the new names and types.'),
  trigger: error(),
  'row-security': error(
    'row level security hides rows of the table from this role',
    'Run the command and the plan as the owner of the table.',
  ),
  privileges: error(),
  'name-in-use': error('', 'Rename or drop the object with this name before you run the plan.'),
  'unsupported-table': error(),
  'unsafe-text': error('', 'Rename the object, or change the default or the comment. If you do not know it, find out who created it.'),
  'wrong-time-zone': error('', passZone),
  'required-column': error(
    'the column is required, and Better Auth does not know it, so nobody could sign up',
    'Declare it in user.additionalFields and write the schema file again, or allow null or give it a default in the database.',
  ),
  'no-email': error('users without an email address, which Better Auth requires', 'Give them an address, or delete them.'),
  'not-lower-case': error('email addresses with capital letters that this database does not convert', 'Write them in lower case first.'),
  'reserved-provider': error(
    'accounts of a provider called credential, which is what Better Auth calls passwords: such an account could sign in with a password',
    'Delete these accounts, or give the provider another id.',
  ),
  'encrypted-tokens': error(
    'encrypted tokens of azure-ad or microsoft-entra-id, which cannot be decrypted once the provider is called microsoft',
    'Decrypt the tokens with: npx drizzle-auth-kit secrets --decrypt',
  ),
  'name-too-long': error('', 'Rename the table, index or constraint first.'),
  unfinished: error(
    'a plan has not reached its end',
    'Remove the cause. Then run the rest of the same file, from the statement that failed.',
  ),
  policies: warning('', 'Create them for the new table once the plan has run: until then, only its owner sees rows.'),
  capitals: warning(
    'email addresses with capital letters, which sign-in by email would no longer find; the plan converts them to lower case',
    'If you keep your tables and only change the import, run this UPDATE when you deploy the change. Convert the address to lower case in profile() of your providers, too.',
  ),
  'no-address': warning(
    'users without an email address, who get a placeholder that receives no mail',
    'If one of your providers sends no address, keep your own users table: defineTables({ usersTable }).',
  ),
  'decimal-ids': warning(
    'ids stored as 4711.0 instead of 4711, so that the accounts would not be found',
    'If you keep your tables and only change the import, run an UPDATE when you deploy the change: see “Account ids that are numbers” in the docs.',
  ),
  'text-dates': warning('dates stored as text, which the plan converts to numbers'),
  'missing-key': warning('the table has no primary key, as in the documented schema; the plan adds it'),
  'other-tables': warning(),
  'other-columns': warning('', 'Declare this type in your schema file, too. Otherwise drizzle-kit changes it back.'),
  'undeclared-columns': warning('', 'Declare them with defineTables({ columns: … }) if you need them: drizzle-kit push would drop them.'),
  'dropped-default': warning('the plan drops the default, and ON UPDATE if there is one (some servers add them to every timestamp)'),
  'time-zone': warning('', passZone),
  rebuild: warning('', 'Run the plan with sqlite3, or with migrate() on a connection that has foreign_keys off.'),
  moved: warning('the plan has run', 'Run undo to go back, or cleanup once you are sure. The next plan is made after one of them.'),
  'written-since': warning(),
  'no-way-back': warning(
    'rows that were written since do not fit into the old tables, so there is no undo',
    'Shorten, change or delete them.',
  ),
  'old-secrets': warning('', 'Once you are sure that you do not go back, run the statements of cleanup that doctor --from prints.'),
  'other-providers': warning(
    'accounts of providers that Better Auth does not have',
    'Add them with the plugin genericOAuth and the same ids.',
  ),
  'account-ids': warning(
    'accounts of Microsoft or Salesforce that keep their old id. Better Auth looks for another one: it links the next sign-in by the email address if both sides have verified it, and refuses it otherwise',
    'Trust the provider for these users: account: { accountLinking: { trustedProviders: ["microsoft"], requireLocalEmailVerified: false } }.',
  ),
  'session-end': warning('', 'If you set session.expiresIn, pass the same number of seconds with --expires-in.'),
  'password-hashes': warning(
    'hashes that Better Auth cannot verify by itself',
    'Set emailAndPassword.password.verify to a function that calls the library which made them.',
  ),
  'no-passkeys': warning('passkeys that are not moved', 'Add the plugin passkey, and run npx auth generate again.'),
  'pending-links': warning('links in mails, which are not moved: whoever has not used one must ask for another'),
}

export type NoticeCode = keyof typeof kinds

export type Place = [table?: string, column?: string | string[] | undefined]

/** An error or warning about the plan. Like a finding of the doctor, it contains no values from rows. */
export interface Notice {
  code: NoticeCode
  severity: 'error' | 'warning'
  table?: string
  column?: string
  message: string
  fix?: string
  /** Statements to run, before the plan and after it. They may have several lines. */
  run?: { before: string[]; after: string[] }
}

/** Without a message or a fix, a notice has those of its code. */
export function notice(code: NoticeCode, [table, column]: Place, message = kinds[code].message, fix = kinds[code].fix): Notice {
  const names = Array.isArray(column) ? column.join(', ') : column
  return {
    code,
    severity: kinds[code].severity,
    ...(table !== undefined && { table }),
    ...(names !== undefined && { column: names }),
    message,
    ...(fix !== undefined && { fix }),
  }
}

/** A notice about rows that were counted. */
export const counted = (code: NoticeCode, place: Place, found: number, message = kinds[code].message, fix?: string) =>
  notice(code, place, `${message}: ${inWords(found)}`, fix)

export const inWords = (found: number, what = 'row') => `${found.toLocaleString('en')} ${what}${found === 1 ? '' : 's'}`
