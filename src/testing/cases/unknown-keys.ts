import { casesAbout } from '../case.js'
import type { Fixture } from '../fixture.js'
import { createFixture } from '../fixture.js'
import type { Key } from '../keys.js'
import { expectNoMatch, keyedOperations, replaceEach } from '../keys.js'

const contractCase = casesAbout('operations')

/** Values that no row has in this field. Some of them occur in other fields and rows. */
const unknownValues = ({ ada, bob }: Fixture) => [
  ...[crypto.randomUUID(), 'invalid-id', '', '0', '-1', '1e3', '99999999999999999999999', 'null', 'undefined', 'google', '@example.com'],
  ...[ada.user.id, ada.user.email, ada.accounts[0].providerAccountId, bob.accounts[1].providerAccountId, ada.sessions[0].sessionToken],
  ...[ada.tokens[0].token, bob.tokens[1].token, ada.authenticators[0].credentialID, ada.authenticators[0].credentialPublicKey],
]

/** The key with each of its fields replaced, and with its fields swapped. */
function unknownKeys(key: Key, fixture: Fixture): Key[] {
  const fields = Object.keys(key)
  const exchanged = Object.fromEntries(fields.map((field, index) => [field, Object.values(key).at(index - 1)]))
  const replaced = unknownValues(fixture)
    .filter((value) => !Object.values(key).includes(value))
    .flatMap((value) => replaceEach(key as Record<string, string>, () => value))
  return fields.length > 1 ? [exchanged, ...replaced] : replaced
}

export const unknownKeyCases = keyedOperations.map(({ operation, fields, outcome }) =>
  contractCase(`${operation} ${outcome} for an unknown key`, [operation], async (adapter) => {
    const fixture = await createFixture(adapter)
    // A write must not create the row either.
    const lookups = keyedOperations.filter((each) => /^get/.test(each.operation) && String(each.fields) === String(fields))
    const operations = [operation, ...lookups.map((lookup) => lookup.operation)]
    await expectNoMatch(adapter, fixture, (key) => unknownKeys(key, fixture), { operations })
  }),
)
