import type { Needs } from './case.js'
import { casesAbout } from './case.js'
import { exercise } from './exercise.js'
import { unique, uniqueDigits, uniqueNumber } from './fixtures.js'
import type { Write } from './writes.js'
import { asGiven, expectWrite, writes } from './writes.js'

const contractCase = casesAbout('hostile input')

// What databases, drivers, templates, addresses and parsers take for something else than text.
const texts = [
  `x'; DROP TABLE "user"; --`,
  `\\' OR 1=1 -- `,
  `" OR ""="`,
  '%_?*',
  '$1 :name ${1} {{1}} %s',
  '`\\`',
  'enc:v1|A$$AP|$&',
  '\\0 \\u0000 \\n',
  '/**/ --',
  '[object Object]',
  'null',
  'undefined',
  'true',
  'false',
  'NaN',
  '0',
  '-0',
  '007',
  '1700000000000',
  '12345678901234567890',
  '1e3',
  '0x10',
  '1.50',
  '{"a":1}',
  '[1,2]',
  '"quoted"',
  '2020-01-01',
  '2020-01-01T00:00:00.000Z',
  '<b>&amp;&#39;</b>',
  'a+b%20c%2Fd=&e#f',
  '../..//x?y',
  'http://EXAMPLE.com:80/a/../b?c#d',
  'data:;base64,+/==',
  ' before and after ',
  'two  blanks',
  '\ttab\r\nline',
  'a\u200bb\u202ec\u2028d\u0085e',
  'e\u0301\u00e9\ufb01\u212b',
  '\u0127\u20ac\u00ff',
  '\u{1F469}\u200d\u{1F467}\u4e2d\u{10fffd}',
]

const keyTexts = ['\u{1F600}', 'Z\u00fcrich \u4e2d', `'"`, '\\', 'a/b?c#d%2F', 'a+b c', '\r\n\t', 'e\u0301', '{"a":1}', 'A']

/** Unique texts that look like something else. */
const keys = () => {
  const number = uniqueNumber()
  const date = new Date(number / 1000)
  const numbers = [`${number}`, `0${number}`, `${number}.0`, `-${number}`, uniqueDigits()]
  return [...numbers, date.toISOString(), `{"a":"${unique()}"}`, `"${unique()}"`, `[${number}]`]
}

// Each may be refused. None may be stored as something else.
const doubtful = (text: string) => [
  `\ud800${text}`,
  `${text}\udfff`,
  `a\udc00\ud800${text}`,
  `${text}\0`,
  `${text}\0${text}`,
  `${text}${'y'.repeat(70_000)}`,
  `${text}${'y'.repeat(300)}`,
  `${text}${'\u{1F600}'.repeat(300)}`,
]

const fill = (names: readonly string[], value: () => string) => Object.fromEntries(names.map((name) => [name, value()]))

/** An account or a token is looked at by other operations than the one that stores it. */
const needsOf = ({ operation }: Write): Needs => (operation === 'updateUser' ? ['createUser', operation] : [operation])

const writeCases = Object.values(writes).flatMap((write) => [
  contractCase(`${write.operation} stores texts of every kind as they are`, needsOf(write), async (adapter) => {
    const rows = [
      ...texts.map((text) => ({ ...fill(write.texts, () => text), ...fill(write.keys, () => unique(text)) })),
      ...keys().map((text) => ({ ...fill(write.texts, () => text), ...fill(write.keys, () => text) })),
    ]
    for (const row of rows) await expectWrite(adapter, write, row, { stored: asGiven, refused: false })
  }),

  contractCase(`${write.operation} stores doubtful texts whole, or refuses them`, needsOf(write), async (adapter) => {
    for (const name of [...write.keys, ...write.texts, ...(write.doubtful ?? [])]) {
      for (const value of doubtful(unique())) await expectWrite(adapter, write, { [name]: value }, { stored: asGiven, refused: true })
    }
  }),

  contractCase(`${write.operation} tells long keys apart that begin alike, or refuses them`, needsOf(write), async (adapter) => {
    for (const name of write.keys) {
      for (const length of [64, 191, 255, 1_000, 5_000]) {
        const beginning = unique().padEnd(length, 'z')
        for (const value of [beginning, `${beginning}a`, `${beginning}b`])
          await expectWrite(adapter, write, { [name]: value }, { stored: asGiven, refused: true })
      }
    }
  }),
])

export const textCases = [
  ...writeCases,

  contractCase('every operation finds its row by keys of every kind', [], async (adapter) => {
    for (const text of keyTexts) {
      const rows = {
        account: { provider: unique(text), providerAccountId: unique(text) },
        session: { sessionToken: unique(text) },
        token: { identifier: unique(text), token: unique(text) },
        authenticator: { credentialID: unique(text) },
      }
      await exercise(adapter, rows, { email: unique(text), name: text, image: text })
    }
    for (const key of keys()) {
      const rows = {
        account: { provider: key, providerAccountId: key },
        session: { sessionToken: key },
        token: { identifier: key, token: key },
        authenticator: { credentialID: key },
      }
      await exercise(adapter, rows, { email: key })
    }
  }),
]
