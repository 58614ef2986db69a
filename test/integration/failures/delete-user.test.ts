import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { customType, pgTable, primaryKey, text, timestamp } from 'drizzle-orm/pg-core'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { afterAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import type { DialectName } from '../../support/dialects.js'
import { openProxy } from '../../support/proxy.js'
import { makeAdapter, openDatabase, useDatabase } from './database.js'
import type { TableSet } from './delete-user.js'
import { allRows, countRows, insertUser, noRows, tableSetsOf } from './delete-user.js'

const overflow = 'abs(-9223372036854775807 - 1)'

/** Triggers and tables of the app that prevent the deletion of a user. The first word of the id selects one of them. */
const protections: Record<DialectName, (prefix: string) => string[]> = {
  pg: (prefix) => [
    `create trigger raises before delete on ${prefix}user for each row when (old.id like 'raises%') execute function raises()`,
    `create trigger keeps before delete on ${prefix}user for each row when (old.id like 'keeps%') execute function keeps()`,
    `create trigger skips before delete on ${prefix}session for each row when (old."sessionToken" like 'skips% 1') execute function keeps()`,
    `create table ${prefix}post (author text references ${prefix}user (id))`,
    `create table ${prefix}late (author text references ${prefix}user (id) deferrable initially deferred)`,
  ],
  mysql: (prefix) => [
    `create trigger ${prefix}raises before delete on ${prefix}user for each row
      if old.id like 'raises%' then signal sqlstate '45000' set message_text = 'no', mysql_errno = 1366; end if`,
    `create table ${prefix}post (author varbinary(1020), foreign key (author) references ${prefix}user (id))`,
  ],
  sqlite: (prefix) => [
    `create trigger ${prefix}raises before delete on ${prefix}user when old.id like 'raises%' begin select raise(abort, 'no'); end`,
    `create trigger ${prefix}keeps before delete on ${prefix}user when old.id like 'keeps%' begin select raise(ignore); end`,
    `create trigger ${prefix}overflows before delete on ${prefix}user when old.id like 'overflows%' begin select ${overflow}; end`,
    `create trigger ${prefix}skips before delete on ${prefix}session when old."sessionToken" like 'skips% 1' begin select raise(ignore); end`,
    `create table ${prefix}post (author text references ${prefix}user (id))`,
  ],
}

const functions = [
  `create function raises() returns trigger language plpgsql as 'begin perform ''x''::int; return old; end'`,
  `create function keeps() returns trigger language plpgsql as 'begin return null; end'`,
]

/** What `deleteUser` does then: the kind of its error, or null if the database skips the deletion without an error. */
const answers: Record<DialectName, Record<string, string | null>> = {
  pg: { raises: 'invalid', keeps: null, skips: 'still-referenced', post: 'still-referenced', late: 'still-referenced' },
  mysql: { raises: 'invalid', post: 'still-referenced' },
  sqlite: { raises: 'unknown', keeps: null, overflows: 'unknown', skips: 'still-referenced', post: 'still-referenced' },
}

interface Transactional {
  transaction<T>(run: (tx: object) => Promise<T>): Promise<T>
}

describe.each(inject('dialects'))('deleteUser on %s', (dialect) => {
  const tableSets = tableSetsOf(dialect)
  const [withoutKeys] = tableSets as [TableSet]
  const database = useDatabase(() =>
    openDatabase(dialect, {
      migrations: [
        ...(dialect === 'pg' ? functions : []),
        ...tableSets.flatMap(({ migrations, prefix }) => [...migrations, ...protections[dialect](prefix)]),
      ],
    }),
  )
  const adapterOf = ({ tables }: TableSet, options?: object) => makeAdapter(database().db, tables, options)
  const insert = (tableSet: TableSet, id: string) => database().execute(...insertUser(dialect, tableSet, id))
  const count = (tableSet: TableSet, id: string) => countRows(database().run, dialect, tableSet, id)

  test.each(tableSets)('deletes the user and all rows of the user, and no others: $title', async (tableSet) => {
    const adapter = adapterOf(tableSet)
    for (const id of ['ada', 'eva']) await insert(tableSet, id)
    expect(await adapter.deleteUser('ada')).toMatchObject({ id: 'ada', email: 'ada@example.com' })
    expect(await adapter.deleteUser('ada')).toBeNull()
    expect(await count(tableSet, 'ada')).toEqual(noRows)
    expect(await count(tableSet, 'eva')).toEqual(allRows)
  })

  test.each(tableSets)('deletes nothing if the user cannot be deleted: $title', async (tableSet) => {
    for (const [word, answer] of Object.entries(answers[dialect])) {
      const id = `${word} ada`
      await insert(tableSet, id)
      if (word === 'post' || word === 'late') await database().execute(`insert into ${tableSet.prefix}${word} values ('${id}')`)
      const deleting = adapterOf(tableSet).deleteUser(id)
      expect(await deleting.catch(({ kind }) => kind), word).toBe(answer)
      expect(await count(tableSet, id), word).toEqual(allRows)
    }
  })

  /** Deletes a user in a transaction of the app. Drizzle's better-sqlite3 transactions are synchronous, so there the test sends BEGIN itself. */
  async function inTransaction(tableSet: TableSet, id: string, end: 'commit' | 'rollback') {
    const { db, execute } = database()
    if (dialect === 'sqlite') {
      await execute('begin')
      const answer = await adapterOf(tableSet).deleteUser(id)
      await execute(end)
      return answer
    }
    let answer: unknown
    const transaction = (db as unknown as Transactional).transaction(async (tx) => {
      answer = await makeAdapter(tx, tableSet.tables).deleteUser(id)
      if (end === 'rollback') throw new Error(end)
    })
    await transaction.catch(({ message }) => expect(message).toBe(end))
    return answer
  }

  test.each(tableSets)('takes part in a transaction of the app: $title', async (tableSet) => {
    for (const id of ['zoe', 'amy', 'keeps amy']) await insert(tableSet, id)
    expect(await inTransaction(tableSet, 'zoe', 'commit')).toMatchObject({ id: 'zoe' })
    expect(await count(tableSet, 'zoe')).toEqual(noRows)
    expect(await inTransaction(tableSet, 'amy', 'rollback')).toMatchObject({ id: 'amy' })
    expect(await count(tableSet, 'amy')).toEqual(allRows)
    if (!('keeps' in answers[dialect])) return
    expect(await inTransaction(tableSet, 'keeps amy', 'commit')).toBeNull()
    expect(await count(tableSet, 'keeps amy')).toEqual(allRows)
  })

  test('returns the user to one of twenty concurrent callers', async () => {
    await insert(withoutKeys, 'kim')
    const adapter = adapterOf(withoutKeys, { retry: {} })
    const deleted = await Promise.all(Array.from({ length: 20 }, () => adapter.deleteUser('kim')))
    expect(deleted.filter((user) => user !== null)).toMatchObject([{ id: 'kim' }])
    expect(await count(withoutKeys, 'kim')).toEqual(noRows)
  })

  test('deletes the rows of a user who no longer exists, also in a transaction of the app', async () => {
    for (const id of ['max', 'mia']) {
      await insert(withoutKeys, id)
      await database().execute(`delete from ${withoutKeys.prefix}user where id = '${id}'`)
    }
    expect(await adapterOf(withoutKeys).deleteUser('max')).toBeNull()
    expect(await inTransaction(withoutKeys, 'mia', 'commit')).toBeNull()
    for (const id of ['max', 'mia']) expect(await count(withoutKeys, id)).toEqual(noRows)
  })
})

const servers = inject('dialects').filter((dialect) => dialect !== 'sqlite') as ('pg' | 'mysql')[]

/** Triggers that do not allow one statement to delete a session and its user. */
const triggers = {
  pg: [
    `create function forget() returns trigger language plpgsql as $$ begin delete from f0_session where "userId" = old.id; return old; end $$`,
    'create trigger forget before delete on f0_user for each row execute function forget()',
  ],
  mysql: ['create trigger touch after delete on f0_session for each row update f0_user set name = null where id = old.userId'],
}

describe.each(servers)('deleteUser on %s, table by table because of a trigger,', (dialect) => {
  const [tableSet] = tableSetsOf(dialect) as [TableSet]
  const database = useDatabase(() => openDatabase(dialect, { migrations: [...tableSet.migrations, ...triggers[dialect]] }))
  const insert = (id: string) => database().execute(...insertUser(dialect, tableSet, id))
  const count = (id: string) => countRows(database().run, dialect, tableSet, id)

  test('deletes all rows of the user, also in a transaction of the app', async () => {
    const { db } = database()
    for (const id of ['ada', 'eva']) await insert(id)
    expect(await makeAdapter(db, tableSet.tables).deleteUser('ada')).toMatchObject({ id: 'ada' })
    expect(await count('ada')).toEqual(noRows)
    await (db as unknown as Transactional).transaction(async (tx) => {
      expect(await makeAdapter(tx, tableSet.tables).deleteUser('eva')).toMatchObject({ id: 'eva' })
    })
    expect(await count('eva')).toEqual(noRows)
  })

  test('does not take a session that was deleted elsewhere for one that is kept', async () => {
    const { db, execute } = database()
    await insert('ida')
    await (db as unknown as Transactional).transaction(async (tx) => {
      const adapter = makeAdapter(tx, tableSet.tables)
      // MySQL keeps showing the rows as they were at this read.
      await adapter.getUser('ida')
      await execute(`delete from f0_session where ${dialect === 'pg' ? '"sessionToken"' : 'sessionToken'} = 'ida 1'`)
      expect(await adapter.deleteUser('ida')).toMatchObject({ id: 'ida' })
    })
    expect(await count('ida')).toEqual(noRows)
  })

  test('has deleted all rows or none if the connection is lost', async () => {
    const proxy = await openProxy(database().url)
    onTestFinished(proxy.close)
    const client =
      dialect === 'pg' ? postgres(proxy.url, { max: 1, fetch_types: false }) : mysql.createPool({ uri: proxy.url, connectionLimit: 1 })
    onTestFinished(() => client.end({ timeout: 1 }))
    const adapter = makeAdapter(dialect === 'pg' ? drizzlePg({ client } as never) : drizzleMysql({ client } as never), tableSet.tables)
    let requests = 0
    // Loses the first request, then the second and so on, until the operation needs fewer.
    for (let isDone = false; !isDone; ) {
      const id = `lost ${++requests}.`
      await insert(id)
      await adapter.getUser(id)
      proxy.loseAt(requests, 'request')
      isDone = await adapter.deleteUser(id).then(
        () => true,
        ({ kind }) => kind !== 'unreachable',
      )
      proxy.loseAt(0, 'request')
      expect(await count(id)).toEqual(isDone ? noRows : allRows)
    }
    // The single statement, BEGIN, four deletions and COMMIT.
    expect(requests).toBeGreaterThan(6)
  })
})

test.runIf(inject('dialects').includes('pg'))(
  'deleteUser on pg deletes a session of a foreign key with RESTRICT that is created meanwhile',
  async () => {
    const restricting = tableSetsOf('pg')[2] as TableSet
    const { db, url, run, execute, close } = await openDatabase('pg', { migrations: restricting.migrations })
    const client = postgres(url, { max: 1 })
    onTestFinished(async () => {
      await client.end()
      await close()
    })
    await execute(...insertUser('pg', restricting, 'ada'))
    let deleting: Promise<unknown> | undefined
    await client.begin(async (signIn) => {
      await signIn`insert into f2_session ("userId", "sessionToken", expires) values ('ada', 'ada 3', '2100-01-01')`
      deleting = makeAdapter(db, restricting.tables).deleteUser('ada')
      const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await run(waiting)).length === 0);
    })
    expect(await deleting).toMatchObject({ id: 'ada' })
    expect(await countRows(run, 'pg', restricting, 'ada')).toEqual(noRows)
  },
)

test.runIf(inject('dialects').includes('pg'))('deleteUser in a transaction on pg lets a sign-in wait', async () => {
  const cascading = tableSetsOf('pg')[1] as TableSet
  const { url, run, execute, close } = await openDatabase('pg', { migrations: cascading.migrations })
  const client = postgres(url, { max: 2 })
  onTestFinished(async () => {
    await client.end()
    await close()
  })
  await execute(...insertUser('pg', cascading, 'ada'))
  await run('create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.5); return null; end $$')
  await run('create trigger waits after delete on f1_session for each statement execute function wait()')
  let signIn: Promise<unknown> | undefined
  await drizzlePg({ client }).transaction(async (tx) => {
    const deleting = makeAdapter(tx, cascading.tables).deleteUser('ada')
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`
    await expect.poll(() => client.unsafe(waiting)).toHaveLength(1)
    signIn = client`insert into f1_session ("userId", "sessionToken", expires) values ('ada', 'ada 3', '2100-01-01')`.catch(
      (error) => error,
    )
    expect(await deleting).toMatchObject({ id: 'ada' })
  })
  expect(await signIn).toMatchObject({ code: '23503' })
  expect(await countRows(run, 'pg', cascading, 'ada')).toEqual(noRows)
})

describe.runIf(inject('dialects').includes('pg'))('deleteUser with row level security', () => {
  const [tableSet] = tableSetsOf('pg') as [TableSet]
  const role = `r${crypto.randomUUID().replaceAll('-', '')}`
  const database = useDatabase(
    () => openDatabase('pg', { migrations: tableSet.migrations }),
    ({ execute }) =>
      execute(
        `create role ${role} login`,
        `grant all on all tables in schema public to ${role}`,
        'alter table f0_user enable row level security',
        `create policy reading on f0_user for select using (id not like 'hidden%')`,
        `create policy deleting on f0_user for delete using (id not like 'kept%')`,
        'alter table f0_session enable row level security',
        'create policy reading on f0_session for select using (true)',
        `create policy deleting on f0_session for delete using ("sessionToken" not like 'signed in% 1')`,
      ),
  )
  // Roles belong to the server, not to the database.
  afterAll(() => database().execute(`drop owned by ${role}`, `drop role ${role}`))

  test.each([
    ['deletes nothing if a policy excludes the user from DELETE', 'kept', null, allRows],
    ['deletes nothing if a policy hides the user', 'hidden', null, allRows],
    ['deletes nothing if a policy excludes a session from DELETE', 'signed in', { kind: 'still-referenced', table: 'f0_session' }, allRows],
    ['deletes all rows if the policies allow it', 'ada', { id: 'ada' }, noRows],
  ])('%s', async (_, id, answer, left) => {
    const { execute, run, url } = database()
    await execute(...insertUser('pg', tableSet, id))
    const roleUrl = new URL(url)
    roleUrl.username = role
    const client = postgres(roleUrl.href, { max: 1 })
    onTestFinished(() => client.end())
    const deleted = await makeAdapter(drizzlePg({ client }), tableSet.tables)
      .deleteUser(id)
      .catch((error) => error)
    if (answer) expect(deleted).toMatchObject(answer)
    else expect(deleted).toBeNull()
    expect(await countRows(run, 'pg', tableSet, id)).toEqual(left)
  })
})

describe.runIf(inject('dialects').includes('pg'))('deleteUser of a user whose id is stored in another form than `userId`', () => {
  const [tableSet] = tableSetsOf('pg') as [TableSet]
  const database = useDatabase(() => openDatabase('pg', { migrations: tableSet.migrations }))
  const stored = (prefix: string) =>
    customType<{ data: string; driverData: string }>({
      dataType: () => 'text',
      toDriver: (id) => prefix + id,
      fromDriver: (value) => value.slice(prefix.length),
    })()
  const tables = {
    usersTable: pgTable('f0_user', { id: stored('u-').primaryKey(), email: text(), emailVerified: timestamp() }),
    sessionsTable: pgTable('f0_session', {
      sessionToken: text().primaryKey(),
      userId: stored('').notNull(),
      expires: timestamp().notNull(),
    }),
    accountsTable: pgTable(
      'f0_account',
      { userId: stored('').notNull(), type: text().notNull(), provider: text().notNull(), providerAccountId: text().notNull() },
      ({ provider, providerAccountId }) => [primaryKey({ columns: [provider, providerAccountId] })],
    ),
  }

  test('compares each table with its own form', async () => {
    const { db, execute, run } = database()
    await execute(...insertUser('pg', tableSet, 'ada'), `update f0_user set id = 'u-ada'`)
    expect(await makeAdapter(db, tables).deleteUser('ada')).toMatchObject({ id: 'ada' })
    expect(await countRows(run, 'pg', tableSet, '')).toMatchObject({ user: 0, session: 0, account: 0 })
  })
})

describe.each(inject('dialects'))('deleteUser with a view of users on %s', (dialect) => {
  const [tableSet] = tableSetsOf(dialect) as [TableSet]
  const database = useDatabase(
    () => openDatabase(dialect, { migrations: tableSet.migrations }),
    ({ execute }) =>
      execute('alter table f0_user rename to f0_all', `create view f0_user as select * from f0_all where id not like 'hidden%'`),
  )

  test('deletes nothing of a user whom the view hides, also in a transaction of the app', async () => {
    const { db, execute, run } = database()
    await execute(...insertUser(dialect, tableSet, 'hidden ada').map((each) => each.replace(/into .?f0_user.?/, 'into f0_all')))
    const sessions = () => run('select * from f0_session')
    if (dialect !== 'sqlite')
      await (db as unknown as Transactional).transaction(async (tx) => {
        expect(await makeAdapter(tx, tableSet.tables).deleteUser('hidden ada')).toBeNull()
      })
    expect(await sessions()).toHaveLength(2)
    expect(await makeAdapter(db, tableSet.tables).deleteUser('hidden ada')).toBeNull()
    expect(await sessions()).toHaveLength(2)
  })
})

test.runIf(inject('dialects').includes('sqlite'))(
  'on SQLite, the id of a user in an error of Drizzle is not taken for its reason',
  async () => {
    const { db, tables, execute, close } = await openDatabase('sqlite')
    onTestFinished(close)
    await execute(`create trigger raises before delete on user begin select raise(abort, 'no'); end`)
    const { $client: client } = db as unknown as { $client: never }
    // An option of Drizzle 1.0.
    const adapter = makeAdapter(drizzleSqlite({ client, paramsInErrors: true } as { client: never }), tables)
    const { id } = await adapter.createUser({ id: `JSON path 'auth kept 0'`, email: 'ada@example.com' })
    await expect(adapter.deleteUser(id)).rejects.toMatchObject({ kind: 'unknown' })
  },
)

test.runIf(inject('dialects').includes('sqlite'))(
  'on SQLite, a deletion that fails after the transaction of a driver that cannot wait leaves none open',
  async () => {
    const { db, tables, adapter, execute, close } = await openDatabase('sqlite')
    onTestFinished(close)
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    const { $client: client } = db as unknown as { $client: { inTransaction: boolean } }
    const deleteAfterTransaction = async () => {
      let deletion: Promise<unknown> | undefined
      ;(db as unknown as { transaction(run: (tx: object) => void): void }).transaction((tx) => {
        deletion = makeAdapter(tx, tables).deleteUser(id)
        deletion.catch(() => {})
      })
      return (await Promise.allSettled([deletion]))[0]?.status
    }
    for (const action of [`raise(abort, 'no')`, 'raise(ignore)']) {
      await execute('drop trigger if exists keeps', `create trigger keeps before delete on user begin select ${action}; end`)
      await deleteAfterTransaction()
      expect(client.inTransaction, action).toBe(false)
    }
    await execute(
      'drop trigger keeps',
      'create table post (author text references user(id) deferrable initially deferred)',
      `insert into post values ('${id}')`,
    )
    expect(await deleteAfterTransaction()).toBe('rejected')
    expect(client.inTransaction, 'when the commit fails').toBe(false)
    await execute('delete from post')
    expect(await adapter.deleteUser(id)).toMatchObject({ id })
  },
)

test.runIf(inject('dialects').includes('sqlite'))(
  'on SQLite, nothing is deleted in part by a Drizzle that maps rows in a new way',
  async () => {
    const { db, tables, adapter, execute, run, close } = await openDatabase('sqlite')
    onTestFinished(close)
    const { id } = await adapter.createUser({ email: 'ada@example.com' })
    await adapter.createSession({ sessionToken: 't', userId: id, expires: new Date() })
    await execute('create trigger keeps before delete on user begin select raise(ignore); end')
    const { session } = db as unknown as {
      session: { prepareQuery(...args: unknown[]): Record<'all' | 'run', (values: object) => unknown> }
    }
    const { prepareQuery } = session
    session.prepareQuery = (...args) => {
      const prepared = prepareQuery.apply(session, args)
      return { all: (values) => prepared.all(values), run: (values) => prepared.run(values) }
    }
    expect(await makeAdapter(db, tables).deleteUser(id)).toBeNull()
    expect(await run('select * from session')).toHaveLength(1)
  },
)
