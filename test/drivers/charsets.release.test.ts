import { casesFor } from 'drizzle-auth-adapter/testing'
import { describe, expect, inject, test } from 'vitest'
import { keepsText } from './fields.js'
import { openText } from './mysql-tables.js'
import { texts } from './texts.js'

// The names that mysql2 knows, can encode and a server takes. On MariaDB, which has no GB18030, the connection is one in Latin1 that mysql2
// writes GB18030 to.
const charsets = [
  ...['utf8mb4', 'utf8', 'latin1', 'ascii', 'binary', 'latin2', 'latin5', 'latin7', 'greek', 'hebrew', 'tis620', 'koi8r', 'koi8u'],
  ...['cp850', 'cp852', 'cp866', 'cp1250', 'cp1251', 'cp1256', 'cp1257', 'macce', 'macroman'],
  ...['big5', 'gbk', 'gb2312', 'gb18030', 'sjis', 'cp932', 'ujis', 'euckr'],
]
// What an app, or the server's `init_connect`, can choose for a connection. The server tells mysql2 of it, unless it is told not to.
const names = ['latin1', 'ascii', 'binary', 'utf8mb3', 'gbk', 'sjis', 'big5', 'cp1251']

const untracked = `set session_track_system_variables = ''`

async function keepsAll({ adapter, witness }: Awaited<ReturnType<typeof openText>>) {
  const before = await witness.state()
  for (const [about, text] of Object.entries(texts)) {
    const kept = await keepsText(adapter, witness, text).catch((error) =>
      Promise.reject(new Error(`${about}: ${error.message}`, { cause: error })),
    )
    expect(kept, about).toBe(true)
  }
  expect(await witness.state()).toEqual(before)
}

async function holdsContract(adapter: object) {
  for (const c of casesFor(adapter))
    await c.run(adapter).catch((error) => Promise.reject(new Error(`${c.name}: ${error.message}`, { cause: error })))
}

describe.runIf(inject('dialects').includes('mysql'))('text of any kind is stored and found as it is', () => {
  test.each(charsets)('through a connection in %s', async (charset) => keepsAll(await openText({ options: { charset } })))

  test.each(names)('after `set names %s` that mysql2 does not hear of', async (name) =>
    keepsAll(await openText({ setUp: [untracked, `set names ${name}`] })),
  )

  test.each(['latin1', 'gbk'])('after `set names %s`', async (name) => keepsAll(await openText({ setUp: [`set names ${name}`] })))

  test('where the server is told not to convert what it answers', async () =>
    keepsAll(await openText({ setUp: ['set character_set_results = null'] })))
})

describe.runIf(inject('dialects').includes('mysql'))('the contract holds', () => {
  test.each(['latin1', 'ascii', 'binary', 'utf8', 'gbk', 'sjis', 'gb18030'])('through a connection in %s', async (charset) =>
    holdsContract((await openText({ options: { charset, connectionLimit: 10 }, retry: {} })).adapter),
  )

  test.each(['swe7', 'gbk'])('after `set names %s` that mysql2 does not hear of', async (name) =>
    holdsContract((await openText({ options: { connectionLimit: 10 }, setUp: [untracked, `set names ${name}`], retry: {} })).adapter),
  )
})

describe.runIf(inject('dialects').includes('mysql'))('a character set in which mysql2 cannot write statements', () => {
  // iconv-lite writes parentheses, commas, hyphens and full stops of ARMSCII-8 as other bytes, and knows the others not at all.
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
