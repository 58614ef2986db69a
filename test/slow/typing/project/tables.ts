import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import * as writtenMysql from './written/mysql.js'
import * as writtenPg from './written/pg.js'
import * as writtenSqlite from './written/sqlite.js'

export const pg = { defined: definePg(), written: writtenPg }
export const mysql = { defined: defineMysql(), written: writtenMysql }
export const sqlite = { defined: defineSqlite(), written: writtenSqlite }
