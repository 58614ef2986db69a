import { join, relative } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { findFiles } from '../../../src/commands/patterns.js'
import { folderWith } from '../../support/commands/app.js'

// As in drizzle-kit 0.31, a folder stands for its modules. Modules alone are found, and none in node_modules.

const files = [
  'a.ts',
  'b.js',
  'db.ts',
  'notes.md',
  'db/a.ts',
  'db/auth.cjs',
  'db/auth.ts',
  'db/b.mts',
  'db/d.tsx',
  'db/e.txt',
  'db/env.d.ts',
  'db/deep/a.ts',
  'db/deep/er/f.ts',
  'db/k.ts.bak',
  'db/my_node_modules/h.ts',
  'db/v1.0/g.ts',
  'odd/(auth)/a.ts',
  'odd/[id]/a.ts',
  'odd/[user-id]/a.ts',
  'odd/i/a.ts',
  'odd/{a,b}/a.ts',
  'odd/a/a.ts',
]
const hidden = ['node_modules/x/a.ts', '.next/a.ts', '.eslintrc.js', 'db/node_modules/a.ts', 'db/.cache/a.ts']
const inDb = ['db/a.ts', 'db/auth.cjs', 'db/auth.ts', 'db/b.mts', 'db/d.tsx']

describe('a pattern', () => {
  let cwd: string
  beforeAll(async () => {
    cwd = await folderWith(Object.fromEntries([...files, ...hidden].map((name) => [name, ''])))
  })

  const find = async (...patterns: string[]) => (await findFiles(patterns, cwd)).map((path) => relative(cwd, path))

  test.each([
    ['a.ts', ['a.ts']],
    ['notes.md', ['notes.md']],
    ['nowhere.ts', []],
    ['', []],
    ['.', ['.eslintrc.js', 'a.ts', 'b.js', 'db.ts']],
    ['*.*', ['a.ts', 'b.js', 'db.ts']],
    ['.*.js', ['.eslintrc.js']],
    ['?.ts', ['a.ts']],
    ['*.{ts,js}', ['a.ts', 'b.js', 'db.ts']],
    ['db/{a,{b,c}}.*ts', ['db/a.ts', 'db/b.mts']],
    ['db', inDb],
    ['./db/', inDb],
    ['db/*', inDb],
    ['db/**', [...inDb, 'db/deep/a.ts', 'db/deep/er/f.ts', 'db/my_node_modules/h.ts', 'db/v1.0/g.ts']],
    ['**/a.ts', ['a.ts', 'db/a.ts', 'db/deep/a.ts', ...files.slice(-6)].sort()],
    ['db/**/*.ts', ['db/a.ts', 'db/auth.ts', 'db/deep/a.ts', 'db/deep/er/f.ts', 'db/my_node_modules/h.ts', 'db/v1.0/g.ts']],
    ['db/auth.[jt]s', ['db/auth.ts']],
    ['db/auth.[a-c]js', ['db/auth.cjs']],
    ['db/[!a].*', ['db/b.mts', 'db/d.tsx']],
    ['db/@(a|auth).ts', ['db/a.ts', 'db/auth.ts']],
    ['db/!(a|*.d).ts', ['db/auth.ts']],
    // A path that exists is literal; anything else can be escaped.
    ['odd/[id]/a.ts', ['odd/[id]/a.ts']],
    ['odd/{a,b}', ['odd/{a,b}/a.ts']],
    ['odd/\\(auth\\)/*.ts', ['odd/(auth)/a.ts']],
    ['odd/[iz]/*.ts', ['odd/i/a.ts']],
    ['odd/\\[i?\\]/*.ts', ['odd/[id]/a.ts']],
  ])('%s finds %j', async (pattern, expected) => {
    expect(await find(pattern)).toEqual(expected)
  })

  test('may follow others: each file is found once, in the order of the patterns', async () => {
    expect(await find('b.js', '?.ts', '?.js', 'nowhere')).toEqual(['b.js', 'a.ts'])
  })
})

test.each(['Acme, Inc', '{a,b}', '[ab]', 'a+(b)', '100% #1'])('the path of the folder %j is literal text', async (name) => {
  const cwd = join(await folderWith({ [`${name}/src/auth.ts`]: '', [`${name}/delete.ts`]: '', 'a/src/auth.ts': '', 'b.ts': '' }), name)
  for (const pattern of ['src/*.ts', './src/**', 'src/{auth,b}.ts', 'src/auth.[jt]s', '**/auth.ts']) {
    expect(await findFiles([pattern], cwd), pattern).toEqual([join(cwd, 'src/auth.ts')])
  }
})
