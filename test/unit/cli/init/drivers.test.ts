import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { dialectNames, dialectOf, drivers } from '../../../../src/cli/init/drivers.js'
import { root } from '../../../support/root.js'

describe('a driver that init knows', () => {
  test.each(drivers)('has a module of Drizzle: $name', ({ module }) => {
    for (const orm of ['drizzle-orm', 'drizzle-orm-v1'])
      expect(existsSync(join(root, 'node_modules', orm, module, 'driver.js')), `${orm}/${module}`).toBe(true)
  })

  test.each([
    ['postgres', 'pg', 'postgresql', 'postgres-js', 'postgres://user:password@localhost:5432/database'],
    ['pg', 'pg', 'postgresql', 'node-postgres', 'postgres://user:password@localhost:5432/database'],
    ['@neondatabase/serverless', 'pg', 'postgresql', 'neon-http', 'postgres://user:password@localhost:5432/database'],
    ['@electric-sql/pglite', 'pg', 'postgresql', 'pglite', './pgdata'],
    ['mysql2', 'mysql', 'mysql', 'mysql2', 'mysql://user:password@localhost:3306/database'],
    ['@planetscale/database', 'mysql', 'mysql', 'planetscale-serverless', 'mysql://user:password@localhost:3306/database'],
    ['better-sqlite3', 'sqlite', 'sqlite', 'better-sqlite3', 'app.db'],
    ['@libsql/client', 'sqlite', 'turso', 'libsql', 'file:app.db'],
    ['d1', 'sqlite', 'sqlite', 'd1', 'app.db'],
  ])('%s is one of %s, which drizzle-kit calls %s', (name, dialect, kitDialect, module, url) => {
    expect(drivers.find((one) => one.name === name)).toMatchObject({ dialect, kitDialect, module, url })
  })

  const namesWith = (has: (driver: (typeof drivers)[number]) => unknown) => drivers.filter(has).map(({ name }) => name)

  test('has settings of its own only where it needs them', () => {
    expect(drivers.flatMap(({ types = [] }) => types)).toEqual(['@types/pg', '@types/better-sqlite3'])
    expect(namesWith(({ kitDriver }) => kitDriver)).toEqual(['@electric-sql/pglite'])
    expect(namesWith(({ hasNoForeignKeys }) => hasNoForeignKeys)).toEqual(['@planetscale/database'])
    expect(namesWith(({ token }) => token)).toEqual(['@libsql/client'])
    expect(namesWith(({ perRequest }) => perRequest)).toEqual(['d1'])
    expect(namesWith(({ connection }) => connection !== 'url')).toEqual(['@libsql/client', 'd1'])
  })

  test('is D1, which Wrangler binds to a property of env', () => {
    expect(drivers.find(({ name }) => name === 'd1')).toMatchObject({ connection: 'env.DB', perRequest: true })
  })
})

test('each dialect has the name that drizzle-kit gives it', () => {
  expect(dialectNames.map((name) => dialectOf[name])).toEqual(['pg', 'mysql', 'sqlite'])
})
