import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { frameworks } from '../../../../src/cli/init/frameworks.js'
import { findModule, layoutOf } from '../../../../src/cli/init/layout.js'
import type { Project } from '../../../../src/cli/init/project.js'
import { folderWith } from '../files.js'

// Where the files of an app go, and how they import one another.

async function layoutIn(files: string[], name: string, { dir, usesTypeScript = true }: { dir?: string; usesTypeScript?: boolean } = {}) {
  const framework = frameworks.find((one) => one.name === name) ?? expect.fail(`no framework ${name}`)
  const cwd = await folderWith(Object.fromEntries(files.map((file) => [file, ''])))
  return layoutOf({ cwd, usesTypeScript } as Project, framework, dir)
}

describe('folders', () => {
  test.each([
    ['next', [], '.', '.'],
    ['next', ['app/page.tsx'], '.', '.'],
    ['next', ['src/app/page.tsx'], 'src', 'src'],
    ['next', ['src/pages/index.tsx'], 'src', 'src'],
    ['next', ['src/util.ts'], 'src', 'src'],
    ['next', ['pages/index.tsx', 'src/util.ts'], '.', '.'],
    ['next', ['app/page.tsx', 'src/util.ts'], '.', '.'],
    ['next', ['app/old.tsx', 'src/app/page.tsx'], 'src', 'src'],
    ['sveltekit', [], 'src', '.'],
    ['sveltekit', ['app/page.ts'], 'src', '.'],
    ['express', [], '.', '.'],
    ['express', ['app/routes.ts', 'src/index.ts'], 'src', '.'],
    ['none', ['pages/a.html', 'src/index.ts'], 'src', '.'],
  ])('of %s with %j', async (name, files, dir, root) => {
    expect(await layoutIn(files, name)).toMatchObject({ dir, root })
  })

  test('the one that the user names holds auth.ts, and the routes of Next.js stay where they are', async () => {
    const layout = await layoutIn(['src/app/page.tsx'], 'next', { dir: './lib//server' })
    expect(layout).toMatchObject({ dir: 'lib/server', root: 'src' })
    expect(layout.inDir('auth')).toBe('lib/server/auth.ts')
  })

  test('hold TypeScript or JavaScript', async () => {
    const typed = await layoutIn([], 'express')
    expect([typed.extension, typed.inDir('auth')]).toEqual(['.ts', 'auth.ts'])
    const plain = await layoutIn(['src/app.js'], 'express', { usesTypeScript: false })
    expect([plain.extension, plain.inDir('auth')]).toEqual(['.js', 'src/auth.js'])
  })
})

describe('imports', () => {
  test.each([
    ['auth.ts', 'schema.ts', './schema.js'],
    ['auth.ts', 'db/schema.ts', './db/schema.js'],
    ['src/auth.ts', 'db/schema.ts', '../db/schema.js'],
    ['src/auth.ts', 'src/db/index.ts', './db/index.js'],
    ['src/auth.ts', 'src/schema.ts.js', './schema.ts.js'],
    ['auth.ts', 'db.mjs', './db.mjs'],
    ['auth.ts', 'db.mts', './db.mjs'],
    ['auth.ts', 'db.cts', './db.cjs'],
    ['app.ts', 'auth.tsx', './auth.js'],
  ])('for Node.js have an extension: %s imports %s', async (from, to, path) => {
    expect((await layoutIn([], 'express')).importPath(from, to)).toBe(path)
  })

  test.each([
    ['auth.ts', 'schema.ts', './schema'],
    ['app/api/auth/[...nextauth]/route.ts', 'auth.ts', '../../../../auth'],
    ['auth.ts', 'db/index.ts', './db'],
    ['auth.ts', 'db/index.js', './db'],
    ['auth.ts', 'db/index/schema.ts', './db/index/schema'],
    ['auth.ts', 'db/reindex.ts', './db/reindex'],
    ['lib/auth.ts', 'db.mjs', '../db'],
    ['lib/auth.ts', 'db.cts', '../db'],
    ['app/route.ts', 'auth.tsx', '../auth'],
    ['app/route.js', 'auth.jsx', '../auth'],
  ])('for a bundler have none: %s imports %s', async (from, to, path) => {
    expect((await layoutIn([], 'next')).importPath(from, to)).toBe(path)
  })
})

describe('a module of the app', () => {
  test.each(['db.ts', 'db.js', 'db.mjs', 'db.tsx', 'db.mts', 'db/index.ts', 'db/index.js'])('is found: %s', async (file) => {
    const cwd = await folderWith({ [file]: 'export {}' })
    expect(await findModule(cwd, ['lib/db', './db'])).toEqual({ file, text: 'export {}' })
    expect(await findModule(cwd, ['lib/db'])).toBeUndefined()
  })

  test('is the first one that is meant, also where it is empty', async () => {
    const cwd = await folderWith({ 'auth.ts': '', 'lib/auth.ts': 'Auth.js', 'lib/auth.js': 'Auth.js', 'src/auth.ts': 'Auth.js' })
    const names = ['auth', 'lib/auth', 'src/auth']
    expect(await findModule(cwd, names)).toEqual({ file: 'auth.ts', text: '' })
    expect(await findModule(cwd, names, (text) => text.includes('Auth'))).toEqual({ file: 'lib/auth.ts', text: 'Auth.js' })
    expect(await findModule(cwd, names, () => false)).toBeUndefined()
  })

  test('is not a folder, and has a path below the app', async () => {
    const cwd = await folderWith({ 'src/db.ts/readme': '', 'src/db.js': 'yes' })
    expect(await findModule(cwd, [join('src', 'db')])).toEqual({ file: 'src/db.js', text: 'yes' })
  })
})
