import type { SQL } from 'drizzle-orm'
import { sql } from 'drizzle-orm'
import { describe, expect, inject, test, vi } from 'vitest'
import { equal } from '../../../src/query/conditions.js'
import type { Row } from '../../../src/query/drizzle.js'
import { openRows, typesOf } from '../../support/table-sets.js'

// Better Auth updates and deletes one row by any condition, such as the first that is still free.
interface Executing {
  execute(statement: SQL): Promise<unknown>
}

const lockWaits = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

describe.each(inject('dialects'))('of twenty callers on %s, each row that a condition finds has one winner', (dialect) => {
  async function open() {
    const { integer, text } = typesOf[dialect]
    const columns = { id: integer().primaryKey(), state: text(), owner: integer() }
    const { rows: places, db, run } = await openRows(dialect, columns, [], 10)
    for (const id of [1, 2, 3]) await places.insert({ id, state: 'free' })
    return { places, db, run }
  }
  const callers = Array.from({ length: 20 }, (_, index) => index)
  const isFree = equal({ state: 'free' })

  test('who updates it', async () => {
    const { places } = await open()
    const claimed = await Promise.all(callers.map((owner) => places.updateOne(isFree, { state: 'taken', owner })))
    const won = claimed.filter((row) => row !== null)
    expect(won.map(({ id }) => id).sort()).toEqual([1, 2, 3])
    expect(await places.list({ and: [] }, { orderBy: 'id' })).toEqual(won.sort((one, other) => Number(one.id) - Number(other.id)))
  })

  test.runIf(dialect === 'pg')('who updates it, also if all have selected the same row before it was taken', async () => {
    const { places, db, run } = await open()
    const { transaction } = db as unknown as { transaction(run: (tx: Executing) => Promise<unknown>): Promise<unknown> }
    const claiming: Promise<Row | null>[] = []
    await transaction.call(db, async (tx) => {
      await tx.execute(sql`update thing set state = 'taken' where id = 1`)
      for (const owner of callers.slice(0, 5)) claiming.push(places.updateOne(isFree, { state: 'taken', owner }))
      await vi.waitUntil(async () => (await run(lockWaits)).length === 5, 20_000)
    })
    expect((await Promise.all(claiming)).flatMap((row) => row?.id ?? []).sort()).toEqual([2, 3])
  })

  test('who gets it as often as it is freed again', async () => {
    const { places, run } = await open()
    const isFirst = { and: [equal({ id: 1 }), isFree] }
    let isDone = false
    const freeing = [1, 2].map(async () => {
      while (!isDone) await run("update thing set state = 'free' where id = 1").catch(() => {})
    })
    // None of them may take the others for a trigger that keeps the row.
    const claimAll = () => Promise.all(callers.map((owner) => places.updateOne(isFirst, { state: 'taken', owner })))
    const claimed = (async () => {
      for (let round = 0; round < 30; round++) await claimAll()
    })().finally(() => {
      isDone = true
    })
    await Promise.all([claimed, ...freeing])
  })

  // Elsewhere the UPDATE itself returns the row.
  test.runIf(dialect === 'mysql')('who updates it while others update it back', async () => {
    const { places, run } = await open()
    await run('create table log (owner integer)')
    await run('create trigger logs after update on thing for each row insert into log values (new.owner)')
    const flip = async (owner: number) => {
      const [from, to] = owner % 2 ? ['free', 'taken'] : ['taken', 'free']
      return (await places.updateOne({ and: [equal({ id: 1 }), equal({ state: from })] }, { state: to, owner })) && owner
    }
    const flipAll = (round: number) => Promise.all(callers.map((caller) => flip(round * callers.length + caller)))
    const winners: unknown[] = []
    for (let round = 0; round < 20; round++) winners.push(...(await flipAll(round)).filter((owner) => owner !== null))
    const written = (await run('select owner from log')).map(({ owner }) => owner)
    expect(winners.sort()).toEqual(written.sort())
  })

  test('who deletes it', async () => {
    const { places } = await open()
    const deleted = await Promise.all(callers.map(() => places.deleteOne(isFree)))
    expect(deleted.flatMap((row) => row?.id ?? []).sort()).toEqual([1, 2, 3])
  })
})
