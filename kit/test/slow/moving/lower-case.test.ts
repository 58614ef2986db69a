import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import mysql from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { statementsOf } from '../../../../test/support/migrations.js'
import * as mysqlSchema from '../../../../test/support/schema/mysql.js'
import { startMysql } from '../../../../test/support/servers/mysql.js'
import { examine } from '../../../src/doctor/index.js'
import { planMove, scriptOf } from '../../../src/planning/index.js'
import { prismaTables } from '../../support/moving/others/prisma.js'

describe.runIf(inject('dialects').includes('mysql'))('the plan on a MySQL server that ignores the case of tables', () => {
  test('gives no table another name, and loses no foreign key', async () => {
    const server = await startMysql(() => {}, undefined, ['--lower-case-table-names=1'])
    if (!server) throw new Error('no server')
    onTestFinished(server.stop)
    const client = mysql.createPool({ uri: server.url, connectionLimit: 1 })
    onTestFinished(() => client.end())
    const statements = [
      ...['create database app character set utf8mb4', 'use app', ...prismaTables.mysql],
      'create table Post (Author varchar(191) collate utf8mb4_unicode_ci, constraint Of_Author foreign key (Author) references User (id))',
      `insert into User (id, email, updatedAt) values ('u', 'u@example.com', now())`,
      `insert into Session (sessionToken, userId, expires, updatedAt) values ('s', 'u', '2040-01-01 00:00:00.123', now())`,
    ]
    for (const statement of statements) await client.query(statement)
    const db = drizzle({ client })
    const plan = () =>
      planMove(db as never, 'mysql', {
        source: 'prisma',
        tables: { authjs: mysqlSchema as never, others: {}, all: mysqlSchema as never },
        schemaSource: '',
        expiresIn: 0,
      })
    for (const statement of statementsOf(scriptOf(await plan(), 'mysql', ''))) await client.query(statement)
    expect((await plan()).plan).toEqual([])
    const [keys] = await client.query(
      `select lower(table_name) as t from information_schema.referential_constraints
        where constraint_schema = database() and table_name not like 'prisma%' order by 1`,
    )
    expect((keys as { t: string }[]).map(({ t }) => t)).toEqual(['account', 'authenticator', 'post', 'session'])
    expect(await DrizzleAdapter(db as never, mysqlSchema).getSessionAndUser('s')).toMatchObject({
      session: { sessionToken: 's', userId: 'u' },
    })
    expect((await examine(db as never, mysqlSchema)).filter(({ severity }) => severity === 'error')).toEqual([])
  })
})
