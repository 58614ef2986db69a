import { casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, inject, test } from 'vitest'
import { roundTripText } from './fields.js'
import { openText } from './mysql-tables.js'
import { texts } from './texts.js'

// The character sets that mysql2 can encode and a server accepts. MariaDB has no GB18030: there, the server takes the connection for Latin1
// while mysql2 writes GB18030.
const charsets = [
  ...['utf8mb4', 'utf8', 'latin1', 'ascii', 'binary', 'latin2', 'latin5', 'latin7', 'greek', 'hebrew', 'tis620', 'koi8r', 'koi8u'],
  ...['cp850', 'cp852', 'cp866', 'cp1250', 'cp1251', 'cp1256', 'cp1257', 'macce', 'macroman'],
  ...['big5', 'gbk', 'gb2312', 'gb18030', 'sjis', 'cp932', 'ujis', 'euckr'],
]
// An app, or the server's `init_connect`, can choose these with SET NAMES. The server notifies mysql2, unless session tracking is off.
const names = ['latin1', 'ascii', 'binary', 'utf8mb3', 'gbk', 'sjis', 'big5', 'cp1251']

const disableTracking = `set session_track_system_variables = ''`

async function expectTextsKept({ adapter, witness }: Awaited<ReturnType<typeof openText>>) {
  const before = await witness.state()
  for (const [about, text] of Object.entries(texts)) {
    const kept = await roundTripText(adapter, witness, text).catch((error) =>
      Promise.reject(new Error(`${about}: ${error.message}`, { cause: error })),
    )
    expect(kept, about).toBe(true)
  }
  expect(await witness.state()).toEqual(before)
}

async function runContract(adapter: object) {
  for (const c of casesFor(adapter))
    await c.run(adapter).catch((error) => Promise.reject(new Error(`${c.name}: ${error.message}`, { cause: error })))
}

describe.runIf(inject('dialects').includes('mysql'))('any text is stored and found unchanged', () => {
  test.each(charsets)('through a connection in %s', async (charset) => expectTextsKept(await openText({ options: { charset } })))

  test.each(names)('after `set names %s` without notifying mysql2', async (name) =>
    expectTextsKept(await openText({ setUp: [disableTracking, `set names ${name}`] })),
  )

  test.each(['latin1', 'gbk'])('after `set names %s`', async (name) => expectTextsKept(await openText({ setUp: [`set names ${name}`] })))

  test('if the server does not convert its results', async () =>
    expectTextsKept(await openText({ setUp: ['set character_set_results = null'] })))
})

describe.runIf(inject('dialects').includes('mysql'))('the contract holds', () => {
  test.each(['latin1', 'ascii', 'binary', 'utf8', 'gbk', 'sjis', 'gb18030'])('through a connection in %s', async (charset) =>
    runContract((await openText({ options: { charset, connectionLimit: 10 }, retry: {} })).adapter),
  )

  test.each(['swe7', 'gbk'])('after `set names %s` without notifying mysql2', async (name) =>
    runContract((await openText({ options: { connectionLimit: 10 }, setUp: [disableTracking, `set names ${name}`], retry: {} })).adapter),
  )
})

describe.runIf(inject('dialects').includes('mysql'))('a character set in which mysql2 cannot write statements', () => {
  // iconv-lite writes the parentheses, commas, hyphens and full stops of ARMSCII-8 as other bytes, and does not know the others at all.
  test.each(['armscii8', 'dec8', 'hp8', 'swe7', 'keybcs2', 'eucjpms', 'geostd8'])(
    '%s makes each operation fail and changes nothing',
    async (charset) => {
      const { adapter, witness } = await openText({ options: { charset } })
      const user = await witness.adapter.createUser({ email: 'ada@example.com' })
      await witness.adapter.createSession({ sessionToken: 'token', userId: user.id, expires: new Date('2031-01-01') })
      const before = await witness.state()
      await expect(adapter.createUser({ email: 'eve@example.com' })).rejects.toThrow()
      await expect(adapter.updateUser({ id: user.id, name: 'x' })).rejects.toThrow()
      await expect(adapter.getUser(user.id)).rejects.toThrow()
      await expect(adapter.getSessionAndUser('token')).rejects.toThrow()
      await expect(adapter.deleteSession('token')).rejects.toThrow()
      await expect(adapter.deleteUser(user.id)).rejects.toThrow()
      expect(await witness.state()).toEqual(before)
    },
  )
})
