import { parseArgs } from 'node:util'
import { Problem } from './command.js'
import { didYouMean } from './did-you-mean.js'

type Options = Record<string, { type: 'string' | 'boolean' }>

const optionsOf = <Name extends string, Type extends 'string' | 'boolean'>(names: Name[], type: Type) =>
  Object.fromEntries(names.map((name) => [name, { type }])) as Record<Name, { type: Type }>

/** Options with a value. */
export const values = <Name extends string>(...names: Name[]) => optionsOf(names, 'string')

/** Options without a value. */
export const flags = <Name extends string>(...names: Name[]) => optionsOf(names, 'boolean')

/** The options of every command that opens a database. */
export const databaseOptions = values('db', 'url', 'schema')

export const databaseHelp = `  --db FILE        the file of your app that exports db, such as src/db.ts: the command connects
                   as your app does. The file .env is read first.
  --url URL        the database: postgres://…, mysql://…, libsql://…, file:app.db or the path of
                   a file. By default DATABASE_URL, also from the file .env, or dbCredentials
                   of drizzle.config.ts. A token for libsql is read from DATABASE_AUTH_TOKEN
                   or TURSO_AUTH_TOKEN.
  --schema FILE    the file that exports your tables, or a pattern such as 'src/**/schema.ts';
                   by default schema of drizzle.config.ts;
                   without one, the tables of defineTables()
`

/** The options of commands that change rows in batches. */
export const batchHelp = `  --batch N        the maximum number of rows per batch (200)
  --pause MS       the pause between batches, in milliseconds (100)
`

export const readLimits = ({ batch = '200', pause = '100' }: { batch?: string | undefined; pause?: string | undefined }) => ({
  batch: wholeNumber('--batch', batch, 1),
  pause: wholeNumber('--pause', pause, 0, 2 ** 31 - 1),
})

type Values<T extends Options> = { [K in keyof T]?: (T[K]['type'] extends 'boolean' ? boolean : string) | undefined }

/** Parses the options. Messages contain names of options, never values. */
export function readOptions<const T extends Options>(args: string[], options: T): Values<T> {
  const parsed = parse(args, options)
  const empty = Object.keys(parsed).find((name) => parsed[name] === '')
  if (empty !== undefined) throw new Problem(`--${empty} needs a value.`, 2)
  return parsed as Values<T>
}

function parse(args: string[], options: Options) {
  try {
    return parseArgs({ args, options }).values
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE') throw new Problem(message, 2)
    // Other messages repeat the argument, which may be a URL with a password.
    const word = /^Unknown option '--([\w-]{1,40})'/.exec(message)?.[1] ?? ''
    throw new Problem(`an argument is not an option of this command.${didYouMean(word, Object.keys(options), '--')} See --help.`, 2)
  }
}

export function wholeNumber(option: string, text: string, from: number, to = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && value >= from && value <= to) return value
  const range = to === Number.MAX_SAFE_INTEGER ? `, ${from} or more` : ` from ${from} to ${to}`
  throw new Problem(`${option} must be a whole number${range}.`, 2)
}

export function pastDate(option: string, text: string): Date {
  const date = new Date(/^\d{4}-\d\d-\d\d(T|$)/.test(text) ? text : Number.NaN)
  if (Number.isNaN(date.getTime())) throw new Problem(`${option} must be a date such as 2026-01-31 or 2026-01-31T12:00:00Z.`, 2)
  if (date > new Date()) throw new Problem(`${option} must not be in the future.`, 2)
  return date
}

export function oneOf<const T extends string>(option: string, text: string, values: readonly T[]): T {
  const value = values.find((one) => one === text)
  if (value === undefined) throw new Problem(`${option} must be ${values.join(' or ')}.`, 2)
  return value
}

/** A name of a table or an export. Messages print it, so reject anything else: it could be a URL with a password. */
export function tableName(option: string, text: string): string {
  if (!/^[\p{L}\p{N}_$-]+(\.[\p{L}\p{N}_$-]+)?$/u.test(text))
    throw new Problem(`${option} must be the name of a table, such as session or auth.session.`, 2)
  return text
}
