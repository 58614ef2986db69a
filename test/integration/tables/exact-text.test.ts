// Needs MySQL or MariaDB.
import { DrizzleAdapter, exactText } from 'drizzle-auth-adapter/mysql'
import { eq } from 'drizzle-orm'
import { getTableConfig, int, mysqlTable } from 'drizzle-orm/mysql-core'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../../support/databases.js'
import { createTable } from '../../support/ddl.js'
import { accountsTable, usersTable } from '../../support/schema/mysql.js'

const posts = mysqlTable('post', {
  id: int().autoincrement().primaryKey(),
  authorId: exactText()
    .notNull()
    .references(() => usersTable.id, { onDelete: 'cascade' }),
})

describe.runIf(inject('dialects').includes('mysql'))('exactText', () => {
  test('creates a column that can reference a user', async () => {
    const [foreignKey] = getTableConfig(posts).foreignKeys
    expect(foreignKey?.getName()).toBe('post_authorId_user_id_fk')
    const opened = await openMysql()
    onTestFinished(opened.close)
    await opened.exec(createTable(posts, '`', ['foreign key (`authorId`) references `user` (`id`) on delete cascade']))
    const adapter = DrizzleAdapter(opened.db, { usersTable, accountsTable })
    const { id } = await adapter.createUser({ id: 'Zoë ', email: 'zoe@example.com', emailVerified: null })
    await opened.db.insert(posts).values({ authorId: id })
    await expect(opened.db.insert(posts).values({ authorId: 'zoe' })).rejects.toThrow()
    const joined = opened.db.select({ authorId: posts.authorId }).from(posts).innerJoin(usersTable, eq(usersTable.id, posts.authorId))
    expect(await joined).toEqual([{ authorId: 'Zoë ' }])
    await adapter.deleteUser(id)
    expect(await opened.db.select().from(posts)).toEqual([])
  })
})
