import { describe, expect, test } from 'vitest'
import { libraries } from '../../../../src/commands/init/libraries.js'
import type { Project } from '../../../../src/commands/init/project.js'
import { layoutOf, placeTables } from '../../../../src/commands/init/tables.js'
import { folderWith } from '../../../support/commands/app.js'

// Where init puts the tables, so that drizzle-kit finds them.

const drizzle = `import { pgTable } from 'drizzle-orm/pg-core'\n`
const ours = `import { defineTables } from 'drizzle-auth-adapter/pg'\n`

/** The place in an app with these files. `schema` is what drizzle.config.ts says, if there is one. */
async function placeIn(files: Record<string, string>, schema?: string) {
  const config = schema === undefined ? undefined : { file: 'drizzle.config.ts', schema: [schema] }
  const project = { cwd: await folderWith(files), usesTypeScript: true, config } as Project
  const authjs = libraries[0] ?? expect.fail()
  const express = authjs.frameworks.find(({ name }) => name === 'express') ?? expect.fail()
  return placeTables(project, layoutOf(project, express, undefined), authjs)
}

test.each([
  [{}, 'schema.ts'],
  [{ 'src/index.ts': '' }, 'src/schema.ts'],
  [{ 'schema.ts': 'export const typeDefs = 1' }, 'auth-schema.ts'],
  [{ 'src/db/schema.ts': 'import gql from "graphql-tag"' }, 'src/schema.ts'],
])('in an app with the files %j and no tables', async (files, file) => {
  expect(await placeIn(files)).toMatchObject({ file, schema: [`./${file}`], isDone: false })
})

test.each([
  ['src/db/schema.ts', ['./src/db/schema.ts', './src/db/auth-schema.ts'], 'src/db/auth-schema.ts'],
  ['lib/server/db/schema.js', ['./lib/server/db/schema.js', './lib/server/db/auth-schema.ts'], 'lib/server/db/auth-schema.ts'],
  ['src/db/schema/posts.ts', ['./src/db/schema'], 'src/db/schema/auth-schema.ts'],
])('next to the schema of the app in a usual place: %s', async (path, schema, file) => {
  expect(await placeIn({ [path]: drizzle })).toMatchObject({ schema, file, isDone: false })
})

describe('in an app whose drizzle-kit has a schema', () => {
  test.each([
    ['a file that is not there yet', './db/tables.ts', {}, 'db/tables.ts'],
    ['a folder that is not there yet', './db/tables', {}, 'db/tables/auth-schema.ts'],
    ['a folder with a dot', './db/v1.0', { 'db/v1.0/posts.ts': drizzle }, 'db/v1.0/auth-schema.ts'],
    ['files of a folder', './src/db/*.ts', { 'src/db/posts.ts': drizzle }, 'src/db/auth-schema.ts'],
    ['files below a folder', './src/**/*.ts', { 'src/posts/schema.ts': drizzle }, 'src/auth-schema.ts'],
  ])('that is %s: %s', async (_, schema, files, file) => {
    expect(await placeIn(files, schema)).toMatchObject({ file, schema: [schema], isDone: false, isRead: true })
  })

  test.each([
    ['./src/**/schema.ts', 'src/auth-schema.ts'],
    ['./db/schema.ts', 'db/auth-schema.ts'],
  ])('that does not include the new file: %s', async (schema, file) => {
    const place = await placeIn({ 'db/schema.ts': drizzle }, schema)
    expect(place).toMatchObject({ file, schema: [schema, `./${file}`], isRead: false })
  })

  test('that exports the new file: nothing to change', async () => {
    const exporting = { 'db/schema.ts': `${drizzle}export * from './auth-schema.js'\n` }
    expect(await placeIn(exporting, './db/schema.ts')).toMatchObject({ file: 'db/auth-schema.ts', isRead: true })
  })

  test.each(['./db/*.ts', './db', './db/b.ts', './schema.ts'])('that has the tables: %s', async (schema) => {
    const files = { 'db/a.ts': drizzle, 'db/b.ts': ours, 'schema.ts': `export * from './db/b.js'\n` }
    expect(await placeIn(files, schema)).toMatchObject({ file: 'db/b.ts', schema: [schema], isDone: true, isRead: true })
  })
})

test.each(['./users.js', './users', './tables/index.js', './tables'])(
  'the users table in a file that the schema re-exports: %s',
  async (path) => {
    const own = `${drizzle}export const users = pgTable('users', { id: uuid(), email: text() })`
    const barrel = `import { x } from './x.js'\nexport * from './missing.js'\nexport * from '${path}'\n`
    const users = { 'db/users.ts': own, 'db/tables/index.ts': `export { users } from '../users.js'\nexport * from '../schema.js'\n` }
    for (const schema of [undefined, './db/schema.ts'])
      expect(await placeIn({ 'db/schema.ts': barrel, ...users }, schema)).toMatchObject({
        file: 'db/auth-schema.ts',
        schema: ['./db/schema.ts', './db/auth-schema.ts'],
        users: { file: 'db/users.ts', name: 'users' },
      })
  },
)

test.each([
  [`export const users = pgTable('users', { id: uuid(), email: text() })`, { name: 'users', hasEmailVerified: false }],
  [
    'export const people = sqliteTable(\n  `user`,\n  { id: text(), email: text(), emailVerified: date() },\n)',
    { name: 'people', hasEmailVerified: true },
  ],
  [`export const users = pgTable('users', { id: uuid(), email: text() })\nconst other = { emailVerified: 1 }`, { hasEmailVerified: false }],
  [`export const users = pgTable('users', { userId: uuid(), mail: text() })`, undefined],
  [`const users = pgTable('users', { id: uuid(), email: text() })`, undefined],
  [`export const roles = pgTable('userRoles', { id: uuid(), email: text() })`, undefined],
])('the users table in %j: %j', async (text, found) => {
  const { users } = await placeIn({ 'db/a.ts': drizzle, 'db/b.ts': text }, './db/*.ts')
  if (found) expect(users).toMatchObject({ file: 'db/b.ts', ...found })
  else expect(users).toBeUndefined()
})
