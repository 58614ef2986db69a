import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import { sqliteTable, sqliteTableCreator, text } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { nameColumns, namesIn, namesOf, referringTo } from '../../src/tables.js'

// What the table definitions of the three databases have in common.

describe('names in the database', () => {
  test('are those in code by default', () => {
    for (const name of ['userId', 'credentialID', 'expires_at']) {
      expect(namesIn()(name)).toBe(name)
      expect(namesIn('camelCase')(name)).toBe(name)
    }
  })

  test.each([
    ['id', 'id'],
    ['userId', 'user_id'],
    ['emailVerified', 'email_verified'],
    ['credentialID', 'credential_id'],
    ['lastLoginIP', 'last_login_ip'],
    ['IPAddress', 'ip_address'],
    ['HTMLBody2', 'html_body2'],
    ['access_token', 'access_token'],
    ['plan2', 'plan2'],
    ['plan2Name', 'plan2_name'],
    ['V2Plan', 'v_2_plan'],
    ['aB', 'a_b'],
    ['größeÄndern', 'größe_ändern'],
    ['ÜberName', 'über_name'],
    ['名前', '名前'],
    ['名前User', '名前_user'],
    ['A名前', 'a名前'],
    ['_private', 'private'],
    ['$', '$'],
  ])('in snake_case: %s is %s', (name, expected) => expect(namesIn('snake_case')(name)).toBe(expected))

  test('of added columns follow the casing, unless a column has a name of its own', () => {
    const added = () => ({ users: { lastLogin: text(), oldName: text('Old') }, sessions: { userAgent: text() } })
    const namesOfColumns = (table: Table) => Object.values(getTableColumns(table) as Record<string, Column>).map(({ name }) => name)
    const namesWith = ({ users, sessions }: ReturnType<typeof added>) => [
      namesOfColumns(sqliteTable('u', users)),
      namesOfColumns(sqliteTable('s', sessions)),
    ]
    const columns = added()
    expect(nameColumns(columns, 'snake_case')).toBe(columns)
    expect(namesWith(columns)).toEqual([['last_login', 'Old'], ['user_agent']])
    for (const casing of ['camelCase', undefined] as const)
      expect(namesWith(nameColumns(added(), casing))).toEqual([['lastLogin', 'Old'], ['userAgent']])
  })

  test('of added columns are not converted again, where Drizzle offers to', () => {
    let named: string | undefined
    const builder = {
      setName(name: string, convert: (name: string) => string) {
        named = convert(name)
      },
    }
    nameColumns({ users: { lastLogin: builder } }, 'snake_case')
    expect(named).toBe('last_login')
  })

  test('of tables are what the creator makes of them', () => {
    expect(namesOf(sqliteTable)('user')).toBe('user')
    expect(namesOf(sqliteTableCreator((name) => `auth_${name}`))('user')).toBe('auth_user')
  })
})

describe('a column that refers to an id', () => {
  type Mapping = Parameters<Parameters<typeof referringTo>[1]>[0]

  /** The column, as a table has it, and how it was described to Drizzle. */
  function referring(id: Column, countedIn?: Record<string, string>) {
    let mapping: Mapping | undefined
    const builder = referringTo<object>(
      id,
      (given) => {
        mapping = given
        return pg.customType(given as never) as unknown as (name: string) => object
      },
      'owner',
      countedIn,
    )
    const column = getTableColumns(pg.pgTable('t', { userId: builder as ReturnType<typeof pg.text> })).userId as Column
    return { column, mapping: mapping as Mapping }
  }
  const idOf = (builder: unknown) => getTableColumns(pg.pgTable('people', { id: builder as ReturnType<typeof pg.text> })).id as Column

  test.each([
    ['text', pg.text()],
    ['uuid', pg.uuid()],
    ['varchar(9)', pg.varchar({ length: 9 })],
    ['bigint', pg.bigint({ mode: 'bigint' })],
  ])('has its type and holds the same: %s', (type, builder) => {
    const id = idOf(builder)
    const { column } = referring(id)
    expect(column.name).toBe('owner')
    expect(column.getSQLType()).toBe(type)
    expect(column.dataType).toBe(id.dataType)
  })

  test('has the type that an id counts in', () => {
    const countedIn = { serial: 'integer' }
    expect(referring(idOf(pg.serial()), countedIn).column.getSQLType()).toBe('integer')
    expect(referring(idOf(pg.integer()), countedIn).column.getSQLType()).toBe('integer')
    expect(referring(idOf(pg.text()), countedIn).column.getSQLType()).toBe('text')
    expect(referring(idOf(pg.serial())).column.getSQLType()).toBe('serial')
  })

  test('encodes and decodes as it does', () => {
    const prefixed = pg.customType<{ data: string; driverData: string }>({
      dataType: () => 'text',
      toDriver: (value) => `u_${value}`,
      fromDriver: (value) => value.slice(2),
    })
    const { column } = referring(idOf(prefixed()))
    expect(column.mapToDriverValue('7')).toBe('u_7')
    expect(column.mapFromDriverValue('u_7')).toBe('7')
  })

  test('has the codec that Drizzle 1.0 gives it', () => {
    const id = idOf(pg.text())
    expect(referring(Object.create(id, { codec: { value: 'text:7' } }) as Column).mapping.codec()).toBe('text:7')
    expect(referring(Object.create(id, { codec: { value: undefined } }) as Column).mapping.codec()).toBeUndefined()
  })
})
