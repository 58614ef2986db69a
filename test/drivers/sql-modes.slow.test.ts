import { describe, expect, inject, test } from 'vitest'
import { isAccepted, roundTripText } from './fields.js'
import type { TextStorage } from './mysql-tables.js'
import { openText, productOf } from './mysql-tables.js'
import { texts } from './texts.js'

const hasMysql = inject('dialects').includes('mysql')
const product = hasMysql ? await productOf() : undefined

// Without a strict mode among them, the server cuts or replaces values that do not fit.
const modes = [
  ...['', 'STRICT_ALL_TABLES', 'TRADITIONAL', 'ANSI', 'ANSI_QUOTES', 'PIPES_AS_CONCAT', 'IGNORE_SPACE', 'HIGH_NOT_PRECEDENCE'],
  ...['NO_BACKSLASH_ESCAPES', 'PAD_CHAR_TO_FULL_LENGTH', 'REAL_AS_FLOAT', 'NO_ZERO_DATE', 'ALLOW_INVALID_DATES', 'NO_AUTO_VALUE_ON_ZERO'],
  'NO_BACKSLASH_ESCAPES,ANSI_QUOTES,PAD_CHAR_TO_FULL_LENGTH,STRICT_TRANS_TABLES',
  ...(product === 'MariaDB'
    ? ['ORACLE', 'EMPTY_STRING_IS_NULL', 'ORACLE,EMPTY_STRING_IS_NULL', 'MSSQL', 'DB2', 'SIMULTANEOUS_ASSIGNMENT', 'TIME_ROUND_FRACTIONAL']
    : ['TIME_TRUNCATE_FRACTIONAL']),
]
const setMode = (mode: string) => `set sql_mode = '${mode}'`

const inLatin1: TextStorage = { keys: 'varchar', values: 'text', suffix: 'character set latin1' }
const inChar: TextStorage = { keys: 'char', values: 'char', suffix: 'character set utf8mb4' }

describe.runIf(hasMysql)('in the sql_mode', () => {
  test.each(modes)('%o any text is stored and found unchanged', async (mode) => {
    for (const charset of ['utf8mb4', 'latin1']) {
      const { adapter, witness } = await openText({ options: { charset }, setUp: [setMode(mode)] })
      for (const [about, text] of Object.entries(texts)) {
        const kept = await roundTripText(adapter, witness, text).catch((error) =>
          Promise.reject(new Error(`${charset}, ${about}: ${error.message}`, { cause: error })),
        )
        expect(kept, about).toBe(true)
      }
    }
  })

  test.each(modes)('%o an empty text is stored unchanged, or rejected', async (mode) => {
    const { adapter, witness } = await openText({ setUp: [setMode(mode)] })
    const user = { id: 'ada', email: 'ada@example.com', name: '', image: '', emailVerified: null }
    if (await isAccepted(witness, 'createUser', () => adapter.createUser(user))) {
      expect(await adapter.getUser('ada')).toEqual(user)
      expect(await witness.adapter.getUser('ada')).toEqual(user)
    } else await adapter.createUser({ ...user, name: 'Ada', image: 'a' })
    const before = await witness.adapter.getUser('ada')
    const updated = await isAccepted(witness, 'updateUser', () => adapter.updateUser({ id: 'ada', name: '' }))
    expect(await witness.adapter.getUser('ada')).toEqual(updated ? { ...before, name: '' } : before)
    expect(await adapter.getUserByEmail('')).toBeNull()
    expect(await adapter.getSessionAndUser('')).toBeNull()
    expect(await adapter.deleteSession('')).toBeNull()
  })

  test.each(modes)('%o a text outside the column’s character set is rejected, and nothing is stored', async (mode) => {
    const { adapter, witness } = await openText({ storage: inLatin1, setUp: [setMode(mode)] })
    const session = { sessionToken: 'token', userId: 'ada', expires: new Date('2031-01-01') }
    await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
    await adapter.createSession(session)
    for (const text of ['\u0127', 'токен', '😀', '汉字']) {
      expect(await isAccepted(witness, 'createUser', () => adapter.createUser({ id: 'eve', email: text }))).toBe(false)
      expect(await isAccepted(witness, 'createUser', () => adapter.createUser({ id: 'eve', email: 'e', name: text }))).toBe(false)
      expect(await isAccepted(witness, 'updateUser', () => adapter.updateUser({ id: 'ada', name: text }))).toBe(false)
      expect(await isAccepted(witness, 'createSession', () => adapter.createSession({ ...session, sessionToken: text }))).toBe(false)
      expect(await adapter.getUserByEmail(text)).toBeNull()
      expect(await adapter.deleteSession(text)).toBeNull()
    }
  })

  test.each(modes)('%o a text that is too long for its column is rejected, and nothing is stored', async (mode) => {
    for (const storage of [inLatin1, inChar]) {
      const { adapter, witness } = await openText({ storage, setUp: [setMode(mode)] })
      await adapter.createUser({ id: 'ada', email: 'ada@example.com' })
      const long = 'x'.repeat(61)
      expect(await isAccepted(witness, 'createUser', () => adapter.createUser({ id: 'eve', email: long }))).toBe(false)
      expect(await isAccepted(witness, 'updateUser', () => adapter.updateUser({ id: 'ada', email: long }))).toBe(false)
      expect(await adapter.getUserByEmail(long.slice(1))).toBeNull()
    }
  })

  test.each(modes)('%o text in char columns comes back without padding', async (mode) => {
    const { adapter, witness } = await openText({ storage: inChar, setUp: [setMode(mode)] })
    for (const text of ['short', 'é', '😀']) expect(await roundTripText(adapter, witness, text)).toBe(true)
  })
})
