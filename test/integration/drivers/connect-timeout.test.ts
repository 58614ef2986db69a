// Needs MySQL or MariaDB.
import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import { createPool } from 'mysql2'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../../support/databases.js'
import { openProxy } from '../../support/proxy.js'
import * as tables from '../../support/schema/mysql.js'

/** A pool that connects through a proxy. The proxy can leave connections unanswered, as a node does that is shutting down. */
async function openPool(connectionLimit: number) {
  const { url, run, close } = await openMysql()
  onTestFinished(close)
  const proxy = await openProxy(url)
  onTestFinished(proxy.close)
  const client = createPool({ uri: proxy.url, connectTimeout: 150, connectionLimit })
  onTestFinished(() => client.promise().end())
  return { run, proxy, client, adapter: DrizzleAdapter(drizzle({ client }), tables) }
}

// mysql2 reports both with the code ETIMEDOUT.
describe.runIf(inject('dialects').includes('mysql'))('a mysql2 connection that times out', () => {
  test('while connecting is retried, also for a write, if the client had a connection before', async () => {
    const { client, proxy, adapter } = await openPool(2)
    expect(await adapter.getUserByEmail('ada@example.com')).toBeNull()
    const busy = await client.promise().getConnection()
    proxy.silence(1)
    const user = await adapter.createUser({ email: 'ada@example.com' })
    expect(proxy.connections()).toBe(3)
    busy.release()
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('while connecting is unreachable at once if the client never had a connection', async () => {
    const { proxy, adapter } = await openPool(1)
    proxy.silence(Number.POSITIVE_INFINITY)
    await expect(adapter.createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
    expect(proxy.connections()).toBe(1)
  })

  test('after a write was sent is not retried', async () => {
    const { client, run, adapter } = await openPool(1)
    const streams: Socket[] = []
    client.on('connection', (connection) => streams.push((connection as unknown as { stream: Socket }).stream))
    expect(await adapter.getUserByEmail('ada@example.com')).toBeNull()
    await run('create trigger slow before insert on `user` for each row set @slept = sleep(1)')
    const creating = adapter.createUser({ email: 'ada@example.com' }).catch((error) => error)
    await setTimeout(200)
    // As the kernel reports it if the other side has not acknowledged packets for many minutes.
    streams[0]?.destroy(Object.assign(new Error('read ETIMEDOUT'), { code: 'ETIMEDOUT', syscall: 'read' }))
    expect(await creating).toMatchObject({ kind: 'timeout', code: 'ETIMEDOUT' })
    expect(streams).toHaveLength(1)
  })
})
