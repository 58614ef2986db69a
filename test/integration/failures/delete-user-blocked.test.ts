import { describe, expect, inject, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import type { TableSet } from './foreign-keys.js'
import { allRows, countRows, createUserWithRows, defineTableSet, kinds, noRows } from './foreign-keys.js'

/** Something in the database that prevents the deletion of users whose id starts with `word`. */
interface Blocker {
  title: string
  word: string
  /** Creates it for the table set with this prefix. */
  ddl(prefix: string): string
  /** Inserts a row of an application table that references the user. */
  insertReference?(prefix: string, id: string): string
  /** Expected error kind. Without one, the database deletes nothing silently and `deleteUser` returns null. */
  kind?: string
}

/** An application table with a foreign key to the users table. */
const referencedBy = (word: string, rest = '') => ({
  word,
  ddl: (prefix: string) => `create table ${prefix}${word} (author text references ${prefix}user (id) ${rest})`,
  insertReference: (prefix: string, id: string) => `insert into ${prefix}${word} values ('${id}')`,
  kind: 'still-referenced',
})

const blockers: Record<DialectName, Blocker[]> = {
  pg: [
    {
      title: 'a trigger that raises',
      word: 'raises',
      kind: 'invalid',
      ddl: (prefix) =>
        `create trigger raises before delete on ${prefix}user for each row when (old.id like 'raises%') execute function raises()`,
    },
    {
      title: 'a trigger that skips the deletion',
      word: 'keeps',
      ddl: (prefix) =>
        `create trigger keeps before delete on ${prefix}user for each row when (old.id like 'keeps%') execute function keeps()`,
    },
    { title: 'a reference from an application table', ...referencedBy('post') },
    { title: 'a reference with ON DELETE RESTRICT', ...referencedBy('note', 'on delete restrict') },
    { title: 'a reference that is checked at commit', ...referencedBy('late', 'deferrable initially deferred') },
  ],
  mysql: [
    {
      title: 'a trigger that raises',
      word: 'raises',
      kind: 'invalid',
      ddl: (prefix) => `create trigger ${prefix}raises before delete on ${prefix}user for each row
        if old.id like 'raises%' then signal sqlstate '45000' set message_text = 'no', mysql_errno = 1366; end if`,
    },
    {
      title: 'a trigger that raises the error of a foreign key',
      word: 'claims',
      kind: 'still-referenced',
      ddl: (prefix) => `create trigger ${prefix}claims before delete on ${prefix}user for each row
        if old.id like 'claims%' then signal sqlstate '23000' set message_text = 'no', mysql_errno = 1451; end if`,
    },
    {
      title: 'a reference from an application table',
      word: 'post',
      kind: 'still-referenced',
      ddl: (prefix) => `create table ${prefix}post (author varchar(99), foreign key (author) references ${prefix}user (id))`,
      insertReference: (prefix, id) => `insert into ${prefix}post values ('${id}')`,
    },
  ],
  sqlite: [
    {
      title: 'a trigger that raises',
      word: 'raises',
      kind: 'unknown',
      ddl: (prefix) =>
        `create trigger ${prefix}raises before delete on ${prefix}user when old.id like 'raises%' begin select raise(abort, 'no'); end`,
    },
    {
      title: 'a trigger that raises the error of a foreign key',
      word: 'claims',
      kind: 'still-referenced',
      ddl: (prefix) => `create trigger ${prefix}claims before delete on ${prefix}user when old.id like 'claims%'
        begin select raise(abort, 'FOREIGN KEY constraint failed'); end`,
    },
    {
      title: 'a trigger that skips the deletion',
      word: 'keeps',
      ddl: (prefix) =>
        `create trigger ${prefix}keeps before delete on ${prefix}user when old.id like 'keeps%' begin select raise(ignore); end`,
    },
    { title: 'a reference from an application table', ...referencedBy('post') },
    { title: 'a reference with ON DELETE RESTRICT', ...referencedBy('note', 'on delete restrict') },
  ],
}

const functions = [
  `create function raises() returns trigger language plpgsql as 'begin perform ''x''::int; return old; end'`,
  `create function keeps() returns trigger language plpgsql as 'begin return null; end'`,
]

interface Transactional {
  transaction<T>(run: (tx: object) => Promise<T>): Promise<T>
}

describe.each(inject('dialects'))('deleteUser on %s', (dialect) => {
  const tableSets = kinds.map((kind, index) => defineTableSet(dialect, kind, `f${index}_`))
  const database = useDatabase(() =>
    openDatabase(dialect, {
      migrations: [
        ...(dialect === 'pg' ? functions : []),
        ...tableSets.flatMap(({ migrations, prefix }) => [...migrations, ...blockers[dialect].map(({ ddl }) => ddl(prefix))]),
      ],
      tables: tableSets[0]?.tables as object,
    }),
  )

  async function createBlockedUser({ word, insertReference }: Blocker, tableSet: TableSet, id = `${word} ada`) {
    const opened = database()
    await createUserWithRows(tableSet.createAdapter(opened), id)
    if (insertReference) await opened.execute(insertReference(tableSet.prefix, id))
    return id
  }

  const outcome = (call: Promise<unknown>) => call.catch(({ kind }) => ({ kind }))

  /** Runs for each kind of foreign key. Results are keyed by its title. */
  async function forEach<T>(run: (tableSet: TableSet) => Promise<T>): Promise<Record<string, T>> {
    return Object.fromEntries(await Promise.all(tableSets.map(async (tableSet) => [tableSet.title, await run(tableSet)])))
  }

  const always = <T>(expected: T) => Object.fromEntries(tableSets.map(({ title }) => [title, expected]))

  test.each(blockers[dialect])('deletes nothing when the user is protected by $title', async (blocker) => {
    const found = await forEach(async (tableSet) => {
      const id = await createBlockedUser(blocker, tableSet)
      const answer = await outcome(tableSet.createAdapter(database()).deleteUser(id))
      return { answer, left: await countRows(database(), tableSet, id) }
    })
    expect(found).toEqual(always({ answer: blocker.kind ? { kind: blocker.kind } : null, left: allRows }))
  })

  test('deletes the user, all rows of the user and no others', async () => {
    const found = await forEach(async (tableSet) => {
      const adapter = tableSet.createAdapter(database())
      await createUserWithRows(adapter, 'eva')
      const user = await createUserWithRows(adapter, 'ada')
      expect(await adapter.deleteUser('ada')).toEqual(user)
      expect(await adapter.deleteUser('ada')).toBeNull()
      return { ada: await countRows(database(), tableSet, 'ada'), eva: await countRows(database(), tableSet, 'eva') }
    })
    expect(found).toEqual(always({ ada: noRows, eva: allRows }))
  })

  /** Deletes a user in a transaction. Drizzle's better-sqlite3 transactions are synchronous, so there the test sends BEGIN itself. */
  async function inTransaction(tableSet: TableSet, id: string, end: 'commit' | 'rollback') {
    const { db, execute } = database()
    if (dialect === 'sqlite') {
      await execute('begin')
      const answer = await outcome(tableSet.createAdapter(database()).deleteUser(id))
      await execute(end)
      return answer
    }
    let answer: unknown
    const transaction = (db as unknown as Transactional).transaction(async (tx) => {
      answer = await outcome(makeAdapter(tx, tableSet.tables).deleteUser(id))
      if (end === 'rollback') throw new Error(end)
    })
    await transaction.catch(({ message }) => expect(message).toBe(end))
    return answer
  }

  test('deletes all rows of the user in a committed transaction and none in a rolled back one', async () => {
    const left: Record<string, object> = {}
    for (const tableSet of tableSets) {
      for (const id of ['zoe', 'amy']) await createUserWithRows(tableSet.createAdapter(database()), id)
      expect(await inTransaction(tableSet, 'zoe', 'commit')).toMatchObject({ id: 'zoe' })
      expect(await inTransaction(tableSet, 'amy', 'rollback')).toMatchObject({ id: 'amy' })
      left[tableSet.title] = { zoe: await countRows(database(), tableSet, 'zoe'), amy: await countRows(database(), tableSet, 'amy') }
    }
    expect(left).toEqual(always({ zoe: noRows, amy: allRows }))
  })

  const silent = blockers[dialect].filter(({ kind }) => !kind)

  test.each(silent)('deletes nothing in a transaction when the user is protected by $title', async (blocker) => {
    const found: Record<string, object> = {}
    for (const tableSet of tableSets) {
      const id = await createBlockedUser(blocker, tableSet, `${blocker.word} bob`)
      found[tableSet.title] = { answer: await inTransaction(tableSet, id, 'commit'), left: await countRows(database(), tableSet, id) }
    }
    expect(found).toEqual(always({ answer: null, left: allRows }))
  })
})
