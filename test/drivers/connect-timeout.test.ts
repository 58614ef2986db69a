import type { Socket } from 'node:net'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import type { Connection, PoolOptions } from 'mysql2'
import { createConnection, createPool } from 'mysql2'
import { createPoolCluster } from 'mysql2/promise'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../helpers/databases.js'
import { openProxy } from '../helpers/proxy.js'
import * as tables from '../schema/mysql.js'

/** A proxy whose first connections get no answer, as when a node or a load balancer is shutting down. */
async function openSilentProxy(url: string, silent: number) {
  const proxy = await openProxy(url, { silent })
  onTestFinished(proxy.close)
  return proxy
}

const connectTimeout = 150

async function openPool(silent: number, options: PoolOptions = {}) {
  const opened = await openMysql()
  onTestFinished(opened.close)
  const proxy = await openSilentProxy(opened.url, silent)
  const client = createPool({ uri: proxy.url, connectTimeout, ...options })
  onTestFinished(() => client.promise().end())
  return { ...opened, proxy, client }
}

describe.runIf(inject('dialects').includes('mysql'))('a mysql2 connection that times out while connecting', () => {
  test('is retried, for a read and for a write', async () => {
    const { client, proxy } = await openPool(2)
    const adapter = DrizzleAdapter(drizzle({ client }), tables)
    const user = await adapter.createUser({ email: 'ada@example.com' })
    expect(proxy.connections()).toBe(3)
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('is retried with a promise pool and with a pool cluster', async () => {
    const { client, proxy, url } = await openPool(1)
    const adapter = DrizzleAdapter(drizzle({ client: client.promise() }), tables)
    await adapter.createVerificationToken({ identifier: 'i', token: 't', expires: new Date('2031-01-01') })
    expect(proxy.connections()).toBe(2)

    const silent = await openSilentProxy(url, 1)
    const cluster = createPoolCluster({ canRetry: false, removeNodeErrorCount: 10 })
    cluster.add('one', { uri: silent.url, connectTimeout })
    onTestFinished(() => cluster.end())
    const clustered = DrizzleAdapter(drizzle({ client: cluster.of('*') as never }), tables)
    expect(await clustered.getUserByEmail('nobody')).toBeNull()
    expect(silent.connections()).toBe(2)
  })

  test('is reported as unreachable, not as a timeout, if every try fails', async () => {
    const { client, proxy } = await openPool(Number.POSITIVE_INFINITY)
    const adapter = DrizzleAdapter(drizzle({ client }), tables, { retry: { tries: 3 } })
    await expect(adapter.createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
    expect(proxy.connections()).toBe(3)
    const withoutRetry = DrizzleAdapter(drizzle({ client }), tables, { retry: false })
    await expect(withoutRetry.getUser('u')).rejects.toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
    expect(proxy.connections()).toBe(4)
  })

  test('is not retried without a pool', async () => {
    const { url, close } = await openMysql()
    onTestFinished(close)
    const proxy = await openSilentProxy(url, Number.POSITIVE_INFINITY)
    const client = createConnection({ uri: proxy.url, connectTimeout })
    client.on('error', () => {})
    const adapter = DrizzleAdapter(drizzle({ client }), tables)
    await expect(adapter.getUser('u')).rejects.toMatchObject({ kind: 'unreachable' })
    expect(proxy.connections()).toBe(1)
  })
})

describe.runIf(inject('dialects').includes('mysql'))('a mysql2 connection that times out after a statement was sent', () => {
  /** Ends a socket with the error that the kernel reports if the other side has not acknowledged packets for many minutes. */
  const timeOut = (connection: unknown, syscall: string) => {
    const error = Object.assign(new Error(`${syscall} ETIMEDOUT`), { errno: -110, code: 'ETIMEDOUT', syscall })
    ;(connection as { stream: Socket }).stream.destroy(error)
  }

  test.each(['read', 'write'])('is not retried for a write (%s)', async (syscall) => {
    const { client, run } = await openPool(0, { connectionLimit: 1 })
    let statements = 0
    client.on('connection', (connection: Connection) => {
      const { query } = connection
      // The first INSERT reaches the server, but its answer does not arrive.
      connection.query = ((...parameters: Parameters<typeof query>) => {
        const command = query.apply(connection, parameters)
        const { sql } = command as unknown as { sql: string }
        if (/^insert/.test(sql) && ++statements === 1) setTimeout(timeOut, 0, connection, syscall)
        return command
      }) as typeof query
    })
    await run(`create trigger slow before insert on \`user\` for each row set @slept = sleep(0.3)`)
    const adapter = DrizzleAdapter(drizzle({ client }), tables)
    await expect(adapter.createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(statements).toBe(1)
  })
})
