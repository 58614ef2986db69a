import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drizzles, idOf } from '../../matrix/cell.js'
import { cells } from '../../matrix/cells/index.js'
import { problemsOf, readResults } from '../../matrix/results.js'
import { withTable } from '../../matrix/table.js'
import { root } from '../support/root.js'

const document = join(root, 'docs', 'matrix.md')

test('docs/matrix.md is generated from the results of the matrix, and was not edited by hand', async () => {
  const text = await readFile(document, 'utf8')
  expect(withTable(text, await readResults())).toBe(text)
})

test('every cell of the matrix has a result with both versions of Drizzle, and every result belongs to a cell', async () => {
  const results = await readResults()
  expect(Object.keys(results)).toEqual(cells.map(idOf))
  for (const [cell, byDrizzle] of Object.entries(results)) expect(Object.keys(byDrizzle).sort(), cell).toEqual(Object.keys(drizzles).sort())
})

test('no cell of the matrix fails', async () => {
  for (const [cell, results] of Object.entries(await readResults()))
    for (const result of Object.values(results)) expect(problemsOf(result), cell).toEqual([])
})

test('the names of the cells of the matrix are unique', () => {
  expect(new Set(cells.map(idOf)).size).toBe(cells.length)
})
