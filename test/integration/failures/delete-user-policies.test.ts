import { drizzle } from 'drizzle-orm/postgres-js'
import postgres from 'postgres'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import { allRows, countRows, createUserWithRows, defineTableSet, kinds, noRows } from './foreign-keys.js'

const withPg = describe.runIf(inject('dialects').includes('pg'))

const tableSets = kinds.map((kind, index) => defineTableSet('pg', kind, `f${index}_`))
const migrations = tableSets.flatMap(({ migrations }) => migrations)
const tables = tableSets[0]?.tables as object
const forEach = async <T>(run: (tableSet: (typeof tableSets)[number]) => Promise<T>) =>
  Object.fromEntries(await Promise.all(tableSets.map(async (tableSet) => [tableSet.title, await run(tableSet)])))
const always = <T>(expected: T) => Object.fromEntries(tableSets.map(({ title }) => [title, expected]))

withPg('deleteUser with row level security', () => {
  const role = `r${crypto.randomUUID().replaceAll('-', '')}`
  const database = useDatabase(
    () => openDatabase('pg', { migrations, tables }),
    async ({ execute }) => {
      await execute(`create role ${role} login`, `grant all on all tables in schema public to ${role}`)
      for (const { prefix } of tableSets)
        await execute(
          `alter table ${prefix}user enable row level security`,
          `create policy reading on ${prefix}user for select using (id not like 'hidden%')`,
          `create policy writing on ${prefix}user for insert with check (true)`,
          `create policy deleting on ${prefix}user for delete using (id not like 'kept%')`,
        )
    },
  )
  // Roles belong to the server, not to the database.
  afterAll(() => database().execute(`drop owned by ${role}`, `drop role ${role}`))

  /** Connects as a role that the policies apply to. */
  function connect() {
    const url = new URL(database().url)
    url.username = role
    const client = postgres(url.href, { max: 8 })
    onTestFinished(() => client.end())
    return drizzle({ client })
  }

  test('deletes nothing when a policy for DELETE excludes the user', async () => {
    const db = connect()
    const found = await forEach(async (tableSet) => {
      await createUserWithRows(tableSet.createAdapter(database()), 'kept ada')
      const answer = await makeAdapter(db, tableSet.tables).deleteUser('kept ada')
      return { answer, left: await countRows(database(), tableSet, 'kept ada') }
    })
    expect(found).toEqual(always({ answer: null, left: allRows }))
  })

  test('deletes nothing when a policy for SELECT hides the user and foreign keys are declared', async () => {
    const db = connect()
    const declaredKeys = tableSets.filter(({ action, declared }) => action && declared)
    for (const tableSet of declaredKeys) {
      await createUserWithRows(tableSet.createAdapter(database()), 'hidden ada')
      expect(await makeAdapter(db, tableSet.tables).deleteUser('hidden ada'), tableSet.title).toBeNull()
      expect(await countRows(database(), tableSet, 'hidden ada'), tableSet.title).toEqual(allRows)
    }
  })

  test('deletes all rows of the user when the policies allow it', async () => {
    const db = connect()
    const found = await forEach(async (tableSet) => {
      const user = await createUserWithRows(tableSet.createAdapter(database()), 'eva')
      expect(await makeAdapter(db, tableSet.tables).deleteUser('eva')).toEqual(user)
      return countRows(database(), tableSet, 'eva')
    })
    expect(found).toEqual(always(noRows))
  })
})

withPg('deleteUser with a rule on the users table', () => {
  const database = useDatabase(() => openDatabase('pg', { migrations, tables }))

  // PostgreSQL rejects DELETE … RETURNING on a table with an INSTEAD rule, whatever its condition.
  test.each(['do instead nothing', `where old.id like 'kept%' do instead nothing`, 'do instead notify kept'])(
    'fails and deletes nothing: %s',
    async (rule) => {
      for (const { prefix } of tableSets) await database().execute(`create or replace rule kept as on delete to ${prefix}user ${rule}`)
      const id = `kept ${rule}`.replaceAll("'", '')
      const found = await forEach(async (tableSet) => {
        const adapter = tableSet.createAdapter(database())
        await createUserWithRows(adapter, id)
        const answer = await adapter.deleteUser(id).catch(({ code }) => ({ code }))
        return { answer, left: await countRows(database(), tableSet, id) }
      })
      expect(found).toEqual(always({ answer: { code: '0A000' }, left: allRows }))
    },
  )
})
