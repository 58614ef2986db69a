import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction } from '../query/internals.js'

// A character of four bytes in UTF-8, and a backslash. In a connection that alters text, it arrives as harmless other text.
const sample = '\u{20441}\\'
const sampleInHex = 'F0A091815C'

/** An unsupported setting, and how to change it. */
interface Problem {
  setting: 'sql-mode' | 'autocommit' | 'character-set'
  message: string
  fix: string
}

/** Returns the unsupported settings of a connection. The driver's character set shows only in a sample text, not in variables. */
export async function problemsOf(db: Database): Promise<Problem[]> {
  const fields = {
    sqlMode: sql`@@sql_mode`.as('sql_mode'),
    autocommit: sql`@@autocommit`.as('autocommit'),
    text: sql`${sample}`.as('text'),
    hex: sql`hex(${sample})`.as('hex'),
  }
  const rows = await db.select(fields).from(sql`(select 1) as one`).$withCache(false).execute()
  const [{ sqlMode, autocommit, text, hex }] = rows as [Record<keyof typeof fields, unknown>]
  const mode = String(sqlMode)
  const problems: Problem[] = []
  if (/\bNO_BACKSLASH_ESCAPES\b/.test(mode))
    problems.push({
      setting: 'sql-mode',
      message: 'sql_mode has NO_BACKSLASH_ESCAPES, and drivers do not escape text correctly for it',
      fix: `SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, 'NO_BACKSLASH_ESCAPES', '');`,
    })
  else if (String(text) !== sample || String(hex) !== sampleInHex)
    problems.push({
      setting: 'character-set',
      message: 'the driver and the server do not both use utf8mb4, so text is changed between them',
      fix: 'Open the connection with charset: utf8mb4, and do not send SET NAMES with another character set.',
    })
  if (!/\bSTRICT_(TRANS|ALL)_TABLES\b/.test(mode))
    problems.push({
      setting: 'sql-mode',
      message: `sql_mode is '${mode}', which is not strict: values that do not fit a column are truncated without an error`,
      fix: `SET GLOBAL sql_mode = CONCAT(@@GLOBAL.sql_mode, ',STRICT_TRANS_TABLES');`,
    })
  if (Number(autocommit) !== 1)
    problems.push({
      setting: 'autocommit',
      message: 'autocommit is off, so writes are lost when the connection closes',
      fix: 'SET GLOBAL autocommit = ON;',
    })
  return problems
}

/** Clients and dialect objects whose settings have passed, for sessions that are new. A transaction has another client and the same dialect. */
const checked = new WeakSet<object>()
/** Checks under way, by client: one statement finds out for all requests that come at once. */
const running = new WeakMap<object, Promise<void>>()

/** Fails if a setting of the connection is not supported. What has passed is remembered, what has failed is checked again. */
export async function checkSettingsOnce(db: Database): Promise<void> {
  const keys = [db.$client, db.dialect].filter((key): key is object => Object(key) === key)
  if (keys.some((key) => checked.has(key))) return
  const id = keys[0] ?? db
  const current = running.get(id) ?? check(db, keys).finally(() => running.delete(id))
  running.set(id, current)
  await current
}

async function check(db: Database, keys: readonly object[]): Promise<void> {
  // Known before the answer: by then, `db` may stand for another database.
  const isInTransaction = isTransaction(db)
  const problems = await problemsOf(db)
  // A transaction is committed by its own COMMIT.
  const [problem] = isInTransaction ? problems.filter(({ setting }) => setting !== 'autocommit') : problems
  if (problem) throw new Failure('settings', { hint: `${problem.message}. ${problem.fix}` })
  if (problems.length === 0) for (const key of keys) checked.add(key)
}
