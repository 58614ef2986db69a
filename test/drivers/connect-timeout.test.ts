import type { Socket } from 'node:net'
import { DrizzleAdapter } from 'drizzle-auth-adapter'
import { drizzle } from 'drizzle-orm/mysql2'
import type { Connection, PoolOptions } from 'mysql2'
import { createPool } from 'mysql2'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openMysql } from '../support/databases.js'
import { openProxy } from '../support/proxy.js'
import * as tables from '../support/schema/mysql.js'

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
  test('is retried, for a read and for a write, if the client had a connection before', async () => {
    const { client, proxy } = await openPool(0, { connectionLimit: 1 })
    const adapter = DrizzleAdapter(drizzle({ client }), tables)
    const email = 'ada@example.com'
    expect(await adapter.getUserByEmail(email)).toBeNull()
    const failOver = async () => {
      proxy.silence(1)
      await proxy.interrupt()
      await proxy.resume()
    }
    await failOver()
    const user = await adapter.createUser({ email }).catch(() => adapter.createUser({ email }))
    await failOver()
    expect(await adapter.getUser(user.id)).toEqual(user)
  })

  test('is reported at once if the client never had one, as unreachable and not as a timeout', async () => {
    const { client, proxy } = await openPool(Number.POSITIVE_INFINITY)
    const adapter = DrizzleAdapter(drizzle({ client }), tables)
    await expect(adapter.createUser({ email: 'ada@example.com' })).rejects.toMatchObject({ kind: 'unreachable', code: 'ETIMEDOUT' })
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
