import mysql from 'mysql2/promise'
import postgres from 'postgres'

export interface NewDatabase {
  url: string
  drop(): Promise<void>
}

/** A unique name for a database or a file. */
export const newName = () => `t${crypto.randomUUID().replaceAll('-', '')}`

/** The URL of one database on a server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/** Creates a database on a PostgreSQL server. `settings` is appended to CREATE DATABASE. */
export async function createPgDatabase(serverUrl: string, settings = '', name = newName()): Promise<NewDatabase> {
  const admin = postgres(serverUrl, { max: 1, onnotice: () => {} })
  await admin.unsafe(`create database ${name} ${settings}`)
  return {
    url: databaseUrl(serverUrl, name),
    async drop() {
      await admin.unsafe(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

/** Creates a database on a MySQL or MariaDB server. */
export async function createMysqlDatabase(serverUrl: string, name = newName()): Promise<NewDatabase> {
  const admin = await mysql.createConnection(serverUrl)
  await admin.query(`create database ${name}`)
  return {
    url: databaseUrl(serverUrl, name),
    async drop() {
      await admin.query(`drop database ${name}`)
      await admin.end()
    },
  }
}
