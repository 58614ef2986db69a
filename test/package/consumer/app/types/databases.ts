import Database from 'better-sqlite3'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/postgres-js'
import { createPool } from 'mysql2/promise'
import postgres from 'postgres'

// This file is only compiled, never run.
export const onPg = drizzlePg({ client: postgres() })
export const onMysql = drizzleMysql({ client: createPool('') })
export const onSqlite = drizzleSqlite({ client: new Database() })
