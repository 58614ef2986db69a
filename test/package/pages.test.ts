import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { drizzles, idOf } from '../../lab/matrix/cell.js'
import { cells } from '../../lab/matrix/cells/index.js'
import type { Results } from '../../lab/matrix/results.js'
import { problemsOf } from '../../lab/matrix/results.js'
import { generatePages } from '../../lab/pages/index.js'
import { readResults } from '../../lab/results.js'
import { root } from '../support/root.js'

test('the pages of recorded results are what `npm run lab pages` writes', async () => {
  const pages = await generatePages()
  for (const [path, text] of Object.entries(pages)) expect(await readFile(join(root, path), 'utf8'), path).toBe(text)
  const charts = (await readdir(join(root, 'docs/benchmarks'))).map((name) => `docs/benchmarks/${name}`)
  expect(Object.keys(pages)).toEqual(expect.arrayContaining(charts))
})

test('every cell of the matrix has passed with both versions of Drizzle', async () => {
  const results = await readResults<Results>('matrix')
  expect(Object.keys(results)).toEqual(cells.map(idOf))
  for (const [cell, byDrizzle] of Object.entries(results)) {
    expect(Object.keys(byDrizzle).sort(), cell).toEqual(Object.keys(drizzles).sort())
    for (const result of Object.values(byDrizzle)) expect(problemsOf(result), cell).toEqual([])
  }
})

test('the names of the cells of the matrix are unique', () => {
  expect(new Set(cells.map(idOf)).size).toBe(cells.length)
})
