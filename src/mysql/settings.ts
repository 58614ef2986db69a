import type { Database } from '../query/drizzle.js'
import { sql } from '../query/drizzle.js'
import { Failure } from '../query/errors.js'
import { isTransaction } from '../query/internals.js'

// A character beyond Latin-1, and a backslash. In a connection that alters text, it arrives as harmless other text.
const sample = 'Ł\\'
const sampleInHex = 'C5815C'

interface Settings {
  sqlMode: string
  autocommit: number
  text: unknown
  hex: unknown
}

/** Clients and dialect objects whose settings are right. A transaction has another client and the same dialect object. */
const checked = new WeakSet<object>()
const running = new WeakMap<object, Promise<void>>()

const keysOf = (db: Database) => [db.$client, db.dialect].filter((key): key is object => Object(key) === key)

/** What finds out whether the connection's settings are supported, unless it is known. A check that fails is made again. */
export function settingsCheck(db: Database): (() => Promise<void>) | undefined {
  const keys = keysOf(db)
  if (keys.some((key) => checked.has(key))) return undefined
  const id = keys[0] ?? db
  return async () => {
    const check =
      running.get(id) ??
      readSettings(db)
        .then((settings) => {
          const failure = reasonToRefuse(settings, isTransaction(db))
          if (failure) throw failure
          if (isAutocommitting(settings)) for (const key of keys) checked.add(key)
        })
        .finally(() => running.delete(id))
    running.set(id, check)
    return check
  }
}

async function readSettings(db: Database): Promise<Settings> {
  const fields = {
    sqlMode: sql`@@sql_mode`.as('sql_mode'),
    autocommit: sql`@@autocommit`.as('autocommit'),
    text: sql`${sample}`.as('text'),
    hex: sql`hex(${sample})`.as('hex'),
  }
  const rows = await db.select(fields).from(sql`(select 1) as one`).$withCache(false).execute()
  return (rows as Settings[])[0] as Settings
}

const isAutocommitting = ({ autocommit }: Settings) => Number(autocommit) === 1

function reasonToRefuse(settings: Settings, isInTransaction: boolean): Failure | undefined {
  const { sqlMode, text, hex } = settings
  const refuse = (hint: string) => new Failure('settings', { hint })
  const mode = String(sqlMode)
  if (/\bNO_BACKSLASH_ESCAPES\b/.test(mode))
    return refuse('sql_mode has NO_BACKSLASH_ESCAPES, with which drivers do not escape text. Remove it from sql_mode')
  if (!/\bSTRICT_(TRANS|ALL)_TABLES\b/.test(mode))
    return refuse(`sql_mode is '${mode}', which truncates values silently. Add STRICT_TRANS_TABLES to sql_mode`)
  if (!isAutocommitting(settings) && !isInTransaction)
    return refuse('autocommit is 0, so writes are lost when the connection closes. Set autocommit = 1 where the app connects')
  if (String(text) !== sample || String(hex).toUpperCase() !== sampleInHex)
    return refuse(
      "the driver and the server do not agree on utf8mb4. Set the driver's charset to utf8mb4, and send no SET NAMES with another",
    )
  return undefined
}
