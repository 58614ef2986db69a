import { expect, test } from 'vitest'
import { reportSecrets } from '../../../src/cli/check.js'
import type { Parts, SecretCounts, SecretTables } from '../../../src/cli/core.js'
import { partsOf, secretsAtRest } from '../../../src/cli/core.js'

const secret = 'a secret of thirty-two characters and more'
const parts = partsOf(
  secretsAtRest({
    sessionTokens: 'migrating',
    accountTokens: {
      keys: [
        { id: 'new', secret },
        { id: 'old', secret },
      ],
    },
  }),
  'test',
)
const tables = { sessionsTable: {}, accountsTable: {} } as unknown as Required<SecretTables>
const { sessionsTable, accountsTable } = tables

interface Found {
  plain?: number
  hashed?: number
  foreign?: number
  tokens?: number
  byKey?: Record<string, number>
  damaged?: number
}

const countsOf = ({ plain = 0, hashed = 0, foreign = 0, tokens = 0, byKey = {}, damaged = 0 }: Found): SecretCounts => ({
  sessions: { plain, hashed, foreign },
  tokens: { plain: tokens, byKey: new Map(Object.entries(byKey)), damaged },
  unprotected: 0,
  encrypted: 0,
  newest: { read: 0, unreadable: 0 },
})

/** The lines that are printed, and the exit code. */
function report(found: Found, { decrypt = false, of = tables as SecretTables, by = parts as Parts } = {}) {
  let printed = ''
  const output = { write: (text: string) => (printed += text) }
  const code = reportSecrets(countsOf(found), of, by, decrypt, { stdout: output, stderr: output, env: {}, cwd: '/' })
  return [...printed.trimEnd().split('\n'), code]
}

test.each([
  [{}, ['sessions: 0 plain, 0 hashed', 'tokens: 0 plain, 0 under key new', 'nothing is left to do', 0]],
  [
    { hashed: 1_200, byKey: { new: 3 } },
    ['sessions: 0 plain, 1,200 hashed', 'tokens: 0 plain, 3 under key new', 'nothing is left to do', 0],
  ],
  [
    { plain: 1, hashed: 2, byKey: { new: 3 } },
    ['sessions: 1 plain, 2 hashed', 'tokens: 0 plain, 3 under key new', 'left to do: 1 session and 0 tokens', 1],
  ],
  [{ plain: 4, tokens: 4 }, ['sessions: 4 plain, 0 hashed', 'tokens: 4 plain, 0 under key new', 'left to do: 4 sessions and 4 tokens', 1]],
  [
    { tokens: 4, byKey: { old: 2, new: 3 }, damaged: 1 },
    [
      'sessions: 0 plain, 0 hashed',
      'tokens: 4 plain, 3 under key new, 2 under key old, 1 damaged',
      'left to do: 0 sessions and 7 tokens',
      1,
    ],
  ],
  [
    { foreign: 2 },
    [
      'sessions: 0 plain, 0 hashed, 2 hashed in the other way, which sign nobody in',
      'tokens: 0 plain, 0 under key new',
      'nothing is left to do',
      0,
    ],
  ],
])('of %j, the report is %j', (found, expected) => {
  expect(report(found)).toEqual(expected)
})

test.each([
  [{ plain: 5, tokens: 4 }, ['nothing is left to do', 0]],
  [{ plain: 5, tokens: 4, byKey: { new: 2, old: 1 }, damaged: 1 }, ['left to do: 0 sessions and 4 tokens', 1]],
])('before tokens are decrypted, what is left of %j is %j', (found, expected) => {
  expect(report(found, { decrypt: true }).slice(-2)).toEqual(expected)
})

test('tells of the tables that are checked, and of no other', () => {
  const found = { plain: 5, tokens: 4 }
  const { accounts, sessions } = parts as Required<Parts>
  expect(report(found, { of: { sessionsTable }, by: { sessions } })).toEqual([
    'sessions: 5 plain, 0 hashed',
    'left to do: 5 sessions and 0 tokens',
    1,
  ])
  expect(report(found, { of: { accountsTable }, by: { accounts } })).toEqual([
    'tokens: 4 plain, 0 under key new',
    'left to do: 0 sessions and 4 tokens',
    1,
  ])
})
