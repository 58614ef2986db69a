import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import type { DialectName } from '../helpers/dialects.js'
import type { Servers } from '../servers/index.js'

/** Gives the address of a new database to the work, and drops the database after it. */
export async function withDatabase<T>(
  dialect: DialectName,
  urls: Servers['urls'],
  folder: string,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const name = `consumer_${randomBytes(6).toString('hex')}`
  if (dialect === 'sqlite') return work(join(folder, `${name}.sqlite`))
  const admin = await connect(dialect, urls[dialect] as string)
  try {
    await admin.query(`create database ${name}`)
    const url = new URL(urls[dialect] as string)
    url.pathname = `/${name}`
    return await work(url.href).finally(() => admin.query(`drop database ${name}`))
  } finally {
    await admin.close()
  }
}

async function connect(dialect: 'pg' | 'mysql', url: string) {
  if (dialect === 'pg') {
    const client = postgres(url, { max: 1 })
    return { query: (text: string) => client.unsafe(text), close: () => client.end() }
  }
  const client = await mysql.createConnection(url)
  return { query: (text: string) => client.query(text), close: () => client.end() }
}
