import { sql } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { expect, test } from 'vitest'
import type { Database } from '../../../../src/query/drizzle.js'
import { checkVersion } from '../../../src/doctor/index.js'
import { read } from '../../../src/doctor/inspector.js'

class FullCache extends Cache {
  override strategy = () => 'all' as const
  override get = async () => [['old']]
  override put = async () => {}
  override onMutate = async () => {}
}

test("read bypasses the app's cache", async () => {
  const db = drizzle(async () => ({ rows: [['new']] }), { cache: new FullCache() }) as unknown as Database
  for (const where of [undefined, sql`true`]) expect(await read(db, { state: sql`state` }, sql`states`, where)).toEqual([{ state: 'new' }])
})

test('warns about builds of single commits of Drizzle, which npm takes for newer than the release candidate', () => {
  expect(checkVersion('1.0.0-rc.5-ab785fc')).toMatchObject([
    { code: 'drizzle-build', severity: 'warning', fix: 'npm install --save-exact drizzle-orm@1.0.0-rc.5' },
  ])
  for (const version of ['0.45.4', '1.0.0-rc.5', '1.0.0', undefined]) expect(checkVersion(version)).toEqual([])
})
