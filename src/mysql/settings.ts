import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import type { Problem } from '../query/statement-dialect.js'

// A character of four bytes in UTF-8, and a backslash. A connection that alters text turns it into other, harmless text.
const sample = '\u{20441}\\'
const sampleInHex = 'F0A091815C'

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
      // A transaction has its own COMMIT.
      isHarmlessInTransactions: true,
    })
  return problems
}
