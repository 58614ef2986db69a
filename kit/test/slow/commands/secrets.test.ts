import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { newKey, pairsOf } from '../../../../test/integration/secrets/modes.js'
import { openStore, signUp } from '../../../../test/integration/secrets/stores.js'
import { run } from '../../support/commands/app.js'

// SQLite waits five seconds for the reader.
test('secrets says so if the write-ahead log of SQLite could not be truncated', async () => {
  const store = await openStore('sqlite')
  onTestFinished(store.close)
  await signUp(store.adapter())
  const reader = new Database(store.url)
  onTestFinished(() => void reader.close())
  reader.exec('begin')
  reader.prepare('select * from session').all()
  const busy = await run(['secrets', '--yes', '--no-hmac', '--url', store.url], { env: { AUTH_TOKEN_KEYS: pairsOf(newKey) } })
  expect(busy).toMatchObject({ code: 0, stderr: expect.stringMatching(/write-ahead log could not be truncated.*wal_checkpoint/) })
})
