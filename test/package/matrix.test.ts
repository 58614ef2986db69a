import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drizzles, idOf } from '../../matrix/cell.js'
import { cells } from '../../matrix/cells/index.js'
import { complaints, readResults } from '../../matrix/results.js'
import { withTable } from '../../matrix/table.js'

const document = join(import.meta.dirname, '../..', 'docs', 'matrix.md')

test('docs/matrix.md is what the results of the matrix give, and no cell is written by hand', async () => {
  const text = await readFile(document, 'utf8')
  expect(withTable(text, await readResults())).toBe(text)
})

test('every cell of the matrix has a result on both Drizzles, and no result is of a cell that is gone', async () => {
  const results = await readResults()
  expect(Object.keys(results)).toEqual(cells.map(idOf))
  for (const [cell, byDrizzle] of Object.entries(results)) expect(Object.keys(byDrizzle).sort(), cell).toEqual(Object.keys(drizzles).sort())
})

test('no cell of the matrix fails, but for what it is said that it cannot do', async () => {
  const results = await readResults()
  for (const cell of cells) {
    for (const result of Object.values(results[idOf(cell)] ?? {})) expect(complaints(cell, result), idOf(cell)).toEqual([])
  }
})

test('each cell of the matrix has a name of its own', () => {
  expect(new Set(cells.map(idOf)).size).toBe(cells.length)
})
