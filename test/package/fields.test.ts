import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineTables as defineMysql } from 'drizzle-auth-adapter/mysql'
import { defineTables as definePg } from 'drizzle-auth-adapter/pg'
import { defineTables as defineSqlite } from 'drizzle-auth-adapter/sqlite'
import type { Column, Table } from 'drizzle-orm'
import { getTableColumns } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Field } from '../../src/models.js'
import { models as described } from '../../src/models.js'
import { root } from '../support/root.js'

const models = Object.entries(described) as [string, Record<string, Field>][]

describe('the fields of the contract', () => {
  const defined = { pg: definePg(), mysql: defineMysql(), sqlite: defineSqlite() }

  test.each(Object.entries(defined))('are the columns of the default tables of %s, nullable where a field may be absent', (_, tables) => {
    for (const [model, fields] of models) {
      const table = (tables as Record<string, Table>)[`${model}Table`] as Table
      const columns = Object.entries(getTableColumns(table) as Record<string, Column>).map(([name, { notNull }]) => [name, notNull])
      const expected = Object.entries(fields).map(([name, { optional, nullable }]) => [name, !optional && !nullable])
      expect(Object.fromEntries(columns), model).toEqual(Object.fromEntries(expected))
    }
  })

  test('match the required and optional columns in the docs', async () => {
    const page = await readFile(join(root, 'docs', 'tables.md'), 'utf8')
    const namesIn = (cell = '') => [...cell.replace(/\(.*?\)/g, '').matchAll(/`(\w+)`/g)].map((match) => match[1]).sort()
    const rows = [...page.matchAll(/^\| `(\w+)Table` \|([^|]*)\|([^|]*)\|$/gm)]
    expect(Object.fromEntries(rows.map(([, model, must, may]) => [model, { must: namesIn(must), may: namesIn(may) }]))).toEqual(
      Object.fromEntries(
        models.map(([model, fields]) => {
          const names = (optional: boolean) =>
            Object.keys(fields)
              .filter((name) => (fields[name]?.optional ?? false) === optional)
              .sort()
          return [model, { must: names(false), may: names(true) }]
        }),
      ),
    )
  })
})
