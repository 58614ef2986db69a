import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { frameworks } from '../../../../src/cli/init/frameworks.js'
import type { Layout } from '../../../../src/cli/init/layout.js'
import { layoutOf } from '../../../../src/cli/init/layout.js'
import type { Project } from '../../../../src/cli/init/project.js'
import { placeTables } from '../../../../src/cli/init/tables.js'
import { folderWith } from '../files.js'

// Where init puts the tables, so that drizzle-kit finds them.

const drizzle = `import { pgTable } from 'drizzle-orm/pg-core'\n`
const ours = `export const { usersTable } = defineTables() // from 'drizzle-auth-adapter/pg'\n`

interface App {
  /** What drizzle.config.ts says; without it, there is no such file. */
  schema?: string
  framework?: string
  usesTypeScript?: boolean
}

async function placeIn(files: Record<string, string>, { schema, framework = 'express', usesTypeScript = true }: App = {}) {
  const cwd = await folderWith(files)
  const config = schema === undefined ? undefined : { file: 'drizzle.config.ts', schema }
  const project = { cwd, usesTypeScript, config } as Project
  const found = frameworks.find(({ name }) => name === framework) ?? expect.fail(`no framework ${framework}`)
  return placeTables(project, layoutOf(project, found, undefined))
}

const nothingElse = { isDone: false, advice: [] }

describe('in an app without a schema', () => {
  test.each([
    [{}, 'schema.ts'],
    [{ 'src/index.ts': '' }, 'src/schema.ts'],
    [{ 'schema.ts': 'export const typeDefs = 1' }, 'auth-schema.ts'],
    [{ 'src/schema.ts': 'export const typeDefs = 1' }, 'src/auth-schema.ts'],
    [{ 'src/db/schema.ts': 'import gql from "graphql-tag"' }, 'src/schema.ts'],
  ])('with the files %j', async (files, file) => {
    expect(await placeIn(files)).toEqual({ ...nothingElse, file, schema: `./${file}` })
  })

  test('they are JavaScript where the app is', async () => {
    expect(await placeIn({}, { usesTypeScript: false })).toMatchObject({ file: 'schema.js', schema: './schema.js' })
  })

  test('drizzle-kit may have a configuration that does not say where the schema is', async () => {
    const cwd = await folderWith({})
    const project = { cwd, usesTypeScript: true, config: { file: 'drizzle.config.ts' } } as Project
    const [framework] = frameworks as [(typeof frameworks)[number]]
    expect(await placeTables(project, layoutOf(project, framework, undefined))).toMatchObject({ file: 'schema.ts' })
  })
})

describe('in an app with a schema in a usual place', () => {
  const usual = ['db/schema', 'server/db/schema', 'lib/server/db/schema', 'lib/db/schema', 'lib/schema', 'drizzle/schema', 'schema']

  test.each([...usual, ...usual.map((name) => `src/${name}`)])('%s', async (name) => {
    for (const end of ['.ts', '.js', '.mjs']) {
      const place = await placeIn({ [name + end]: drizzle })
      expect(place.schema).toBe(`./${name}${end}`)
      expect(place.file).toBe(`${name.replace(/schema$/, 'auth-schema')}.ts`)
    }
  })

  test('that is a folder', async () => {
    const files = { 'src/db/schema/posts.ts': drizzle, 'src/db/schema/notes.txt': '' }
    expect(await placeIn(files)).toEqual({ ...nothingElse, file: 'src/db/schema/auth-schema.ts', schema: './src/db/schema' })
  })

  test('that is elsewhere than another file of this name', async () => {
    const files = { 'src/db/schema.ts': '// no tables', 'src/lib/schema.ts': drizzle }
    expect(await placeIn(files)).toMatchObject({ schema: './src/lib/schema.ts', file: 'src/lib/auth-schema.ts' })
    // What is below src comes first.
    expect(await placeIn({ 'db/schema.ts': drizzle, ...files })).toMatchObject({ schema: './src/lib/schema.ts' })
  })

  test.each([
    [{ 'schema.ts': ours }, 'schema.ts', './schema.ts'],
    [{ 'src/db/schema.ts': ours }, 'src/db/schema.ts', './src/db/schema.ts'],
    [{ 'src/db/schema/a.ts': drizzle, 'src/db/schema/b.ts': ours }, 'src/db/schema/b.ts', './src/db/schema'],
    [{ 'schema.ts': '// mine', 'auth-schema.ts': ours }, 'auth-schema.ts', './auth-schema.ts'],
  ])('that has them: %j', async (files, file, schema) => {
    expect(await placeIn(files)).toEqual({ file, schema, isDone: true, advice: [] })
  })
})

describe('in an app whose drizzle-kit has a schema', () => {
  test.each([
    ['a file that is not there yet', './db/tables.ts', {}, 'db/tables.ts'],
    ['a folder that is not there yet', './db/tables', {}, 'db/tables/auth-schema.ts'],
    ['a folder', './db/tables', { 'db/tables/posts.ts': drizzle }, 'db/tables/auth-schema.ts'],
    ['a folder with a dot', './db/v1.0', { 'db/v1.0/posts.ts': drizzle }, 'db/v1.0/auth-schema.ts'],
    ['files of a folder', './src/db/*.ts', { 'src/db/posts.ts': drizzle }, 'src/db/auth-schema.ts'],
    ['files of the app', '*.ts', {}, 'auth-schema.ts'],
    ['files of any folder', './src/**/schema.ts', { 'src/posts/schema.ts': drizzle }, 'src/auth/schema.ts'],
    ['files of the whole app', '**/schema.ts', {}, 'auth/schema.ts'],
    ['files with an ending of their own', './src/**/*.schema.ts', {}, 'src/auth.schema.ts'],
    ['files of some folders', 'src/{auth,posts}/schema.ts', {}, 'src/auth/schema.ts'],
    ['files whose names differ in a letter', './db/auth?schema.ts', {}, 'db/auth-schema.ts'],
  ])('that is %s: %s', async (_, schema, files, file) => {
    expect(await placeIn(files, { schema })).toEqual({ ...nothingElse, file, schema })
  })

  test.each(['./src/**/*.sql.ts', './db/table?.ts', './db/{a,b}.ts'])('that cannot match a file of this name: %s', async (schema) => {
    const { file, advice } = await placeIn({}, { schema })
    expect(file).toBe('auth-schema.ts')
    expect(advice).toEqual([{ title: expect.stringContaining('schema in drizzle.config.ts'), text: "'./auth-schema.ts'," }])
  })

  test('that is a file: it exports the new one', async () => {
    const files = { 'db/schema.ts': drizzle }
    const place = await placeIn(files, { schema: './db/schema.ts' })
    const advice = [{ title: 'Add to db/schema.ts', text: "export * from './auth-schema.js'" }]
    expect(place).toEqual({ file: 'db/auth-schema.ts', schema: './db/schema.ts', isDone: false, advice })
    const bundled = await placeIn(files, { schema: './db/schema.ts', framework: 'next' })
    expect(bundled.advice).toMatchObject([{ text: "export * from './auth-schema'" }])
  })

  test('that is a file without an ending', async () => {
    expect(await placeIn({ 'db/schema': drizzle }, { schema: './db/schema' })).toMatchObject({ file: 'db/auth-schema.ts' })
  })

  test('that exports the new file already', async () => {
    const files = { 'db/schema.ts': `${drizzle}export * from './auth-schema.js'\n` }
    expect(await placeIn(files, { schema: './db/schema.ts' })).toMatchObject({ file: 'db/auth-schema.ts', ...nothingElse })
    const done = await placeIn({ ...files, 'db/auth-schema.ts': ours }, { schema: './db/schema.ts' })
    expect(done).toMatchObject({ file: 'db/auth-schema.ts', isDone: true, advice: [] })
  })

  test.each(['pg', 'mysql', 'sqlite'])('that has the tables of %s', async (dialect) => {
    const files = { 'db/a.ts': drizzle, 'db/b.ts': `import { defineTables } from 'drizzle-auth-adapter/${dialect}'` }
    for (const schema of ['./db/*.ts', './db', './db/b.ts'])
      expect(await placeIn(files, { schema })).toEqual({ file: 'db/b.ts', schema, isDone: true, advice: [] })
  })

  test('that has them in a folder, whose path has slashes also on Windows', async () => {
    vi.resetModules()
    vi.doMock(import('node:path'), async (original) => {
      const path = await original()
      return { ...path, relative: (from: string, to: string) => path.relative(from, to).replaceAll('/', '\\') }
    })
    onTestFinished(() => {
      vi.doUnmock('node:path')
      vi.resetModules()
    })
    const windows = await import('../../../../src/cli/init/tables.js')
    const project = { cwd: await folderWith({ 'db/tables.ts': ours }), config: { file: '', schema: './db' } } as Project
    expect(await windows.placeTables(project, {} as Layout)).toMatchObject({ file: 'db/tables.ts', isDone: true })
  })

  test.each(["drizzle-auth-adapter'", 'drizzle-auth-adapter/doctor', '@auth/drizzle-adapter/pg'])(
    'that imports %s alone',
    async (module) => {
      expect(await placeIn({ 'db/a.ts': `from '${module}` }, { schema: './db/*.ts' })).toMatchObject({ isDone: false })
    },
  )
})

describe('a table of users that the app has', () => {
  test.each([`pgTable('users', {})`, `pgTable("user", {})`, 'sqliteTable(\n  `users`,\n  {},\n)', `mySchema.pgTable('user', {})`])(
    'is pointed out: %s',
    async (text) => {
      const { advice } = await placeIn({ 'db/a.ts': drizzle, 'db/b.ts': text }, { schema: './db/*.ts' })
      expect(advice).toEqual([
        { title: expect.stringContaining('db/b.ts has a table of users'), text: 'defineTables({ usersTable: users })' },
      ])
    },
  )

  test.each([`pgTable('userRoles', {})`, `pgTable('app_users', {})`, `const users = 'users'`, ''])('is not %j', async (text) => {
    expect((await placeIn({ 'db/a.ts': text }, { schema: './db/*.ts' })).advice).toEqual([])
  })

  test('is named after what makes drizzle-kit read the new file', async () => {
    const { advice } = await placeIn({ 'db/schema.ts': `pgTable('users', {})` }, { schema: './db/schema.ts' })
    expect(advice.map(({ text }) => text)).toEqual(["export * from './auth-schema.js'", 'defineTables({ usersTable: users })'])
  })
})
