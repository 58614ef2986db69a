import { sql } from 'drizzle-orm'
import { Cache } from 'drizzle-orm/cache/core'
import { drizzle } from 'drizzle-orm/pg-proxy'
import { expect, test } from 'vitest'
import type { Database } from '../../../../src/query/drizzle.js'
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
