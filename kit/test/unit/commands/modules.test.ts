import { join, relative } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { findFiles } from '../../../src/commands/modules.js'
import { folderWith } from '../../support/commands/app.js'

const files = ['a.ts', 'b.js', 'db.ts', 'notes.md', 'db/auth.cjs', 'db/auth.ts', 'db/env.d.ts', 'db/k.ts.bak', 'db/v1.0/g.ts']
const odd = ['odd/(auth)/a.ts', 'odd/[id]/a.ts', 'odd/i/a.ts', 'odd/{a,b}/a.ts', 'odd/a/a.ts']
const hidden = ['node_modules/x/a.ts', '.next/a.ts', '.eslintrc.js', 'db/node_modules/a.ts']

let cwd: string
beforeAll(async () => {
  cwd = await folderWith(Object.fromEntries([...files, ...odd, ...hidden].map((name) => [name, ''])))
})

// As in drizzle-kit 0.31, a folder means the modules in it.
test.each([
  [['notes.md'], ['notes.md']],
  [['nowhere.ts', ''], []],
  [['.'], ['.eslintrc.js', 'a.ts', 'b.js', 'db.ts']],
  [['./db/'], ['db/auth.cjs', 'db/auth.ts']],
  [['*.{ts,js}'], ['a.ts', 'b.js', 'db.ts']],
  [['db/**'], ['db/auth.cjs', 'db/auth.ts', 'db/v1.0/g.ts']],
  [['**/auth.[jt]s'], ['db/auth.ts']],
  // A path that exists is literal; anything else can be escaped.
  [['odd/[id]/a.ts'], ['odd/[id]/a.ts']],
  [['odd/{a,b}'], ['odd/{a,b}/a.ts']],
  [['odd/\\(auth\\)/*.ts'], ['odd/(auth)/a.ts']],
  [['odd/[iz]/*.ts'], ['odd/i/a.ts']],
  // Each file is found once, in the order of the patterns.
  [
    ['b.js', '?.ts', '?.js'],
    ['b.js', 'a.ts'],
  ],
])('%j finds %j', async (patterns, expected) => {
  expect((await findFiles(patterns, cwd)).map((path) => relative(cwd, path))).toEqual(expected)
})

test.each(['Acme, Inc', '{a,b}', '[ab]', 'a+(b)', '100% #1'])('the path of the folder %j is literal text', async (name) => {
  const folder = join(await folderWith({ [`${name}/src/auth.ts`]: '', 'a/src/auth.ts': '', 'b.ts': '' }), name)
  for (const pattern of ['src/*.ts', '**/auth.ts']) expect(await findFiles([pattern], folder)).toEqual([join(folder, 'src/auth.ts')])
})
