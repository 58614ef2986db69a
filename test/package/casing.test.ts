import { toSnakeCase as officialSnakeCase } from '@better-auth/core/utils/string'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import * as kit from 'drizzle-kit/api'
import { text as myText } from 'drizzle-orm/mysql-core'
import { text as pgText } from 'drizzle-orm/pg-core'
import { text as liteText } from 'drizzle-orm/sqlite-core'
import { expect, test } from 'vitest'
import { toSnakeCase } from '../../src/definition/snake-case.js'

type Casing = 'snake_case' | undefined

/** What drizzle-kit generates for the tables, with its own setting `casing`. */
const generators: Record<string, (casing: Casing) => Promise<string[]>> = {
  async pg(casing) {
    const tables = definePg({ casing: 'snake_case', columns: { users: { lastLoginIP: pgText().unique() } } })
    return kit.generateMigration(kit.generateDrizzleJson({}), kit.generateDrizzleJson(tables, undefined, undefined, casing))
  },
  async mysql(casing) {
    const tables = defineMysql({ casing: 'snake_case', columns: { users: { lastLoginIP: myText() } } })
    return kit.generateMySQLMigration(await kit.generateMySQLDrizzleJson({}), await kit.generateMySQLDrizzleJson(tables, undefined, casing))
  },
  async sqlite(casing) {
    const tables = defineSqlite({ casing: 'snake_case', columns: { users: { lastLoginIP: liteText().unique() } } })
    return kit.generateSQLiteMigration(
      await kit.generateSQLiteDrizzleJson({}),
      await kit.generateSQLiteDrizzleJson(tables, undefined, casing),
    )
  },
}

test.each(Object.entries(generators))(
  'drizzle-kit generates the same snake_case tables of %s with and without its own casing',
  async (_name, generate) => {
    const statements = await generate(undefined)
    expect(await generate('snake_case')).toEqual(statements)
    const text = statements.join('\n')
    for (const name of ['last_login_ip', 'verification_token', 'session_user_id_idx', 'credential_id_unique', 'provider_account_id'])
      expect(text).toContain(name)
    expect(text.match(/[`"][^`"\s]*[a-z][A-Z][^`"\s]*[`"]/g)).toBeNull()
  },
)

test("the names in snake_case are those of Better Auth's generator", () => {
  for (const name of ['userId', 'lastLoginIP', 'oauth2Client', 'URL2x', 'A1b', 'my-table', 'user__id', '_private', 'größeInÄpfeln'])
    expect(toSnakeCase(name)).toBe(officialSnakeCase(name))
})
