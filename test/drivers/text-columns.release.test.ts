import { describe, expect, inject, test } from 'vitest'
import { roundTripText } from './fields.js'
import type { TextStorage } from './mysql-tables.js'
import { openText } from './mysql-tables.js'
import { texts } from './texts.js'

const storages: Record<string, TextStorage & { charset: string }> = {
  'varchar in utf8mb4': { keys: 'varchar', values: 'text', charset: 'utf8mb4', suffix: 'character set utf8mb4' },
  'varchar in utf8mb4_bin': { keys: 'varchar', values: 'varchar', charset: 'utf8mb4', suffix: 'character set utf8mb4 collate utf8mb4_bin' },
  'char in utf8mb4': { keys: 'char', values: 'char', charset: 'utf8mb4', suffix: 'character set utf8mb4' },
  varbinary: { keys: 'varbinary', values: 'varbinary', charset: 'utf8mb4', suffix: '' },
  'varchar in utf8mb3': { keys: 'varchar', values: 'text', charset: 'utf8mb3', suffix: 'character set utf8mb3' },
  'varchar in latin1': { keys: 'varchar', values: 'text', charset: 'latin1', suffix: 'character set latin1' },
  'char in latin1': { keys: 'char', values: 'char', charset: 'latin1', suffix: 'character set latin1' },
  'varchar in ascii': { keys: 'varchar', values: 'text', charset: 'ascii', suffix: 'character set ascii' },
  'varchar in cp1251': { keys: 'varchar', values: 'text', charset: 'cp1251', suffix: 'character set cp1251' },
  'varchar in gbk': { keys: 'varchar', values: 'text', charset: 'gbk', suffix: 'character set gbk' },
  'varchar in utf16': { keys: 'varchar', values: 'text', charset: 'utf16', suffix: 'character set utf16' },
  'varchar in ucs2': { keys: 'varchar', values: 'text', charset: 'ucs2', suffix: 'character set ucs2' },
  'varchar in utf32': { keys: 'varchar', values: 'text', charset: 'utf32', suffix: 'character set utf32' },
  'varchar in sjis': { keys: 'varchar', values: 'text', charset: 'sjis', suffix: 'character set sjis' },
}
const connections = ['utf8mb4', 'utf8', 'latin1', 'ascii', 'binary', 'gbk', 'sjis', 'cp1251']
const trailing = { 'a space at its end': 'text ' }

/** Whether a character set has all characters of a text. */
async function canEncode(run: (statement: string) => Promise<Record<string, unknown>[]>, charset: string, text: string): Promise<boolean> {
  const hex = Buffer.from(text).toString('hex')
  const [row] = await run(`select hex(convert(convert(_utf8mb4 x'${hex}' using ${charset}) using utf8mb4)) as kept`)
  return String(row?.kept).toLowerCase() === hex
}

describe.runIf(inject('dialects').includes('mysql')).each(Object.entries(storages))(
  'text in columns of type %s',
  (_type, { charset, ...storage }) => {
    test.each(connections)('is stored and found unchanged, or rejected, on a connection in %s', async (connection) => {
      const { adapter, witness, run } = await openText({ storage, options: { charset: connection } })
      for (const [about, text] of Object.entries({ ...texts, ...trailing })) {
        const kept = await roundTripText(adapter, witness, text).catch((error) =>
          Promise.reject(new Error(`${about}: ${error.message}`, { cause: error })),
        )
        const isPadded = storage.keys === 'char' && text.endsWith(' ')
        expect(kept, about).toBe((await canEncode(run, charset, text)) && !isPadded)
        expect(await adapter.getUserByEmail(text), about).toBeNull()
        expect(await adapter.getSessionAndUser(text), about).toBeNull()
        expect(await adapter.deleteSession(text), about).toBeNull()
      }
    })
  },
)
