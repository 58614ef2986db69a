import { casesAbout } from '../case.js'
import { expectNull } from '../expect.js'
import { createFixture, verifyPerson } from '../fixture.js'
import { expectNoMatch, replaceEach } from '../keys.js'
import { manyDigits } from '../lookalikes.js'
import { unique, uniqueInteger } from '../rows.js'
import { allWrites, expectStored, expectStoredOrRejected } from '../writes.js'

const strictCase = casesAbout('hostile input')

const injections = [`' OR '1'='1`, `" OR ""="`, `\\' OR 1=1 -- `, `x'; DROP TABLE "user"; --`, '`', '\\', '/**/', '../', '..', '.', '$$ $&']
const placeholders = ['%', '_', '*', '.*', '$1', ':sessionToken', '{{1}}', '[object Object]']

// Properties that every plain object has, even if it is used as a dictionary.
const propertyNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'then']

// Texts that parsers read as another type.
const literals = ['null', 'undefined', 'true', 'NaN', '0', '007', '1e3', '1.50', '1700000000000', '{"a":1}', '[1,2]', '"quoted"']
const encodings = ['2020-01-01T00:00:00.000Z', '<b>&amp;&#39;</b>', 'a+b%20c%2Fd=&e#f', '\\0 \\u0000 \\n']
const spaces = [' before and  after ', '\ttab\r\nline', 'a\u200bb\u202ec\u2028d']
const characters = ['e\u0301\u00e9\ufb01\u212b', '\u0127\u20ac\u00ff', '\u{1F469}\u200d\u{1F467}\u4e2d']
const texts = [...literals, ...spaces, ...[injections, placeholders, encodings, characters].map((each) => each.join(' '))]

/** Unique keys that look like numbers and JSON. */
const keyTexts = () => [`0${uniqueInteger()}`, `-${uniqueInteger()}`, manyDigits(), `${uniqueInteger()}.0`, `{"a":"${unique('x')}"}`]

/** Texts that databases truncate or cannot store. */
const doubtfulTexts = (text: string) => [
  ...[`\ud800${text}`, `${text}\0${text}`, `${text}${'\u{1F600}'.repeat(300)}`],
  ...[300, 70_000].map((length) => `${text}${'y'.repeat(length)}`),
]

/** Objects that query builders read as operators, and values that convert themselves to text. */
const objectsFor = (text: string) => [
  {},
  [],
  [text],
  { $ne: null },
  { not: '' },
  { toString: () => text },
  true,
  Number.NaN,
  -7,
  new Date(0),
]

const unstorable = (text: string) => [`${text}\0`, `${text}\0.example.com`, '\0', `${text}\ud800`, 'x'.repeat(100_000), text.padEnd(5_000)]

const fill = (names: readonly string[], value: () => string) => Object.fromEntries(names.map((name) => [name, value()]))

/** A case in which no operation may find a row if a field of its key, or all of them, is replaced with these values. */
const noMatchCase = (name: string, valuesFor: (text: string) => readonly unknown[], mayThrow = false) =>
  strictCase(name, [], async (adapter) => {
    const keysFor = (key: object) =>
      valuesFor('').flatMap((_, index) => {
        const whole = Object.fromEntries(Object.entries(key).map(([field, text]) => [field, valuesFor(text)[index]]))
        return Object.keys(key).length > 1 ? [whole, ...replaceEach(key, (text) => valuesFor(text)[index])] : [whole]
      })
    await expectNoMatch(adapter, await createFixture(adapter), keysFor, { mayThrow })
  })

const textWrites = allWrites.filter(({ keys }) => keys.length > 0)

export const hostileCases = [
  noMatchCase('undefined, null and empty keys match no row', () => [undefined, null, ''], true),
  noMatchCase('keys that are not text match no row', objectsFor, true),
  noMatchCase('keys that cannot be stored match no row', unstorable),
  noMatchCase('quotes, comments and wildcards match no row', () => [...injections, ...placeholders]),
  noMatchCase('names of object properties match no row', () => propertyNames),

  strictCase('missing keys match no row', [], async (adapter) => {
    const without = (key: object, field: string) => Object.fromEntries(Object.entries(key).filter(([name]) => name !== field))
    const keysFor = (key: object) => [{}, ...Object.keys(key).map((field) => without(key, field))]
    await expectNoMatch(adapter, await createFixture(adapter), keysFor, { mayThrow: true })
  }),

  strictCase('a provider or an identifier can be the name of an object property', [], async (adapter) => {
    for (const name of propertyNames.slice(0, 3)) {
      const fixture = await createFixture(adapter, { account: { provider: name }, token: { identifier: name } })
      await verifyPerson(adapter, fixture.ada, `with the provider ${name}`)
      const { providerAccountId } = fixture.ada.accounts[0]
      const unknown = { provider: unique('provider'), providerAccountId }
      if (adapter.getUserByAccount) expectNull(await adapter.getUserByAccount(unknown), 'getUserByAccount of an unknown provider')
      if (adapter.getAccount) expectNull(await adapter.getAccount(providerAccountId, unknown.provider), 'getAccount of an unknown provider')
      await fixture.verify(`with the identifier ${name}`)
    }
  }),

  ...textWrites.map((write) =>
    strictCase(`${write.operation} stores text of every kind as it is`, write.needs, async (adapter) => {
      const { keys, texts: others = [] } = write
      for (const text of texts) await expectStored(adapter, write, { ...fill(others, () => text), ...fill(keys, () => unique(text)) })
      for (const text of keyTexts())
        await expectStored(
          adapter,
          write,
          fill([...others, ...keys], () => text),
        )
    }),
  ),

  ...textWrites.map((write) =>
    strictCase(`${write.operation} stores doubtful text whole, or rejects it`, write.needs, async (adapter) => {
      for (const field of [...write.keys, ...(write.texts ?? [])]) {
        for (const text of doubtfulTexts(unique('text'))) await expectStoredOrRejected(adapter, write, { [field]: text })
      }
    }),
  ),
]
