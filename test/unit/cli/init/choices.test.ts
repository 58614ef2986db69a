import { describe, expect, test } from 'vitest'
import { Problem } from '../../../../src/cli/command.js'
import type { Flags } from '../../../../src/cli/init/choices.js'
import { decide } from '../../../../src/cli/init/choices.js'
import type { Project } from '../../../../src/cli/init/project.js'
import { failureOf } from '../files.js'

// Which driver and which framework init takes, and what it says about the reason.

interface App {
  packages?: string[]
  config?: Partial<NonNullable<Project['config']>>
  d1?: string
}

const projectOf = ({ packages = [], config, d1 }: App): Project => ({
  cwd: '/app',
  isEmpty: false,
  packages: Object.fromEntries(packages.map((name) => [name, '*'])),
  isModule: true,
  usesTypeScript: true,
  manager: 'npm',
  config: config && { file: 'drizzle.config.ts', ...config },
  d1,
})

/** Decides for an app, and answers questions in order. Without answers, nobody can be asked. */
async function decideFor(app: App, flags: Flags = {}, answers?: string[]) {
  const questions: string[] = []
  const ask = async (question: string) => {
    questions.push(question)
    return answers?.shift() ?? expect.fail(`no answer to ${question}`)
  }
  const { driver, framework } = await decide(projectOf(app), flags, answers && ask)
  return { driver: driver.value.name, from: driver.from, framework: framework.value.name, frameworkFrom: framework.from, questions }
}

/** The problem that the user is told about. */
async function problemFor(app: App, flags: Flags = {}): Promise<string> {
  const failure = (await failureOf(() => decideFor(app, flags))) as Problem
  expect(failure).toBeInstanceOf(Problem)
  expect(failure.exitCode).toBe(2)
  return failure.message
}

describe('the framework', () => {
  const frameworkOf = async (packages: string[], framework?: string) => decideFor({ packages: ['pg', ...packages] }, { framework })

  test.each([
    [['next'], 'next'],
    [['@sveltejs/kit', 'vite'], 'sveltekit'],
    [['hono'], 'hono'],
    [['express'], 'express'],
    [['express', 'next'], 'next'],
    [['express', 'hono'], 'hono'],
  ])('is one that package.json names: %j', async (packages, framework) => {
    expect(await frameworkOf(packages)).toMatchObject({ framework, frameworkFrom: 'package.json' })
  })

  test('is none where package.json names another one', async () => {
    const { framework, frameworkFrom } = await frameworkOf(['fastify'])
    expect(framework).toBe('none')
    expect(frameworkFrom).toMatch(/package\.json names none/)
  })

  test.each(['next', 'sveltekit', 'hono', 'express', 'none'])('is the one that the option names: %s', async (framework) => {
    expect(await frameworkOf(['next', 'express'], framework)).toMatchObject({ framework, frameworkFrom: '--framework' })
  })

  test.each(['TopSecret', ''])('has to be known, and the message does not repeat %j', async (framework) => {
    const message = await problemFor({ packages: ['pg', 'next'] }, { framework })
    expect(message).toContain('--framework takes next or sveltekit or hono or express or none')
    expect(message).not.toContain('TopSecret')
  })
})

describe('the driver', () => {
  test.each([
    'postgres',
    'pg',
    '@neondatabase/serverless',
    '@electric-sql/pglite',
    'mysql2',
    '@planetscale/database',
    'better-sqlite3',
    '@libsql/client',
  ])('is the only one that package.json names: %s', async (driver) => {
    expect(await decideFor({ packages: [driver] }, {}, [])).toMatchObject({ driver, from: 'package.json', questions: [] })
  })

  test('is the one that the option names, whatever is installed', async () => {
    const app = { packages: ['pg'], config: { dialect: 'postgresql' } }
    expect(await decideFor(app, { driver: 'mysql2' }, [])).toMatchObject({ driver: 'mysql2', from: '--driver' })
    const flags = { driver: 'pg', dialect: 'postgresql' }
    expect(await decideFor({ packages: ['mysql2'] }, flags, [])).toMatchObject({ driver: 'pg', from: '--driver' })
  })

  test.each([
    [{ driver: 'oracledb' }, '--driver takes postgres or pg or '],
    [{ driver: '' }, '--driver takes postgres or pg or '],
    [{ driver: 'pg', dialect: 'oracle' }, '--dialect takes postgresql or mysql or sqlite'],
    [{ dialect: 'oracle' }, '--dialect takes postgresql or mysql or sqlite'],
    [{ dialect: '' }, '--dialect takes postgresql or mysql or sqlite'],
    [{ driver: 'pg', dialect: 'mysql' }, 'another dialect than --dialect'],
    [{ driver: 'd1', dialect: 'postgresql' }, 'another dialect than --dialect'],
  ])('cannot be %j', async (flags, message) => {
    expect(await problemFor({ packages: ['better-sqlite3'] }, flags)).toContain(message)
  })

  test.each([
    ['postgresql', 'postgres'],
    ['mysql', 'mysql2'],
    ['sqlite', 'better-sqlite3'],
  ])('is the usual one of %s where none is installed', async (dialect, driver) => {
    for (const decided of [await decideFor({}, { dialect }), await decideFor({ config: { dialect } })]) {
      expect(decided.driver).toBe(driver)
      expect(decided.from).toMatch(/the usual one/)
    }
  })

  test('is one of the dialect that the option or drizzle-kit names, although one of another dialect is installed', async () => {
    const packages = ['pg', 'mysql2']
    expect(await decideFor({ packages }, { dialect: 'mysql' })).toMatchObject({ driver: 'mysql2', from: 'package.json' })
    const config = { dialect: 'postgresql' }
    expect(await decideFor({ packages, config })).toMatchObject({ driver: 'pg', from: 'package.json' })
    expect(await decideFor({ packages, config }, { dialect: 'mysql' })).toMatchObject({ driver: 'mysql2' })
    expect(await decideFor({ packages: ['pg'] }, { dialect: 'sqlite' })).toMatchObject({ driver: 'better-sqlite3' })
  })

  test('is the first of several that package.json names, if nobody can be asked', async () => {
    const { driver, from } = await decideFor({ packages: ['@electric-sql/pglite', 'pg'] })
    expect(driver).toBe('pg')
    expect(from).toMatch(/package\.json names several; --driver/)
  })

  test('is the one of Turso if drizzle-kit is set up for it', async () => {
    const config = { dialect: 'turso' }
    for (const packages of [[], ['better-sqlite3'], ['better-sqlite3', '@libsql/client']])
      expect(await decideFor({ packages, config }, {}, [])).toMatchObject({ driver: '@libsql/client', from: 'drizzle.config.ts' })
    const from = expect.stringMatching(/^(--dialect|drizzle\.config\.ts)$/)
    expect(await decideFor({ config }, { dialect: 'sqlite' }, [])).toMatchObject({ driver: '@libsql/client', from })
    expect(await decideFor({ config, packages: ['mysql2'] }, { dialect: 'mysql' }, [])).toMatchObject({ driver: 'mysql2' })
  })

  test('is D1 if Wrangler or drizzle-kit is set up for it', async () => {
    expect(await decideFor({ d1: 'wrangler.toml' }, {}, [])).toMatchObject({ driver: 'd1', from: 'wrangler.toml' })
    const config = { dialect: 'sqlite', driver: 'd1-http' }
    expect(await decideFor({ config }, {}, [])).toMatchObject({ driver: 'd1', from: 'drizzle.config.ts' })
    const from = expect.stringMatching(/^(package\.json|drizzle\.config\.ts)$/)
    expect(await decideFor({ config: { driver: 'd1-http' } }, {}, [])).toMatchObject({ driver: 'd1', from })
    expect(await decideFor({ config: { dialect: 'sqlite', driver: 'expo' } })).toMatchObject({ driver: 'better-sqlite3' })
  })

  test('cannot be D1 with a framework that has no request at hand where Auth.js is set up', async () => {
    for (const name of ['next', '@sveltejs/kit', 'express'])
      expect(await problemFor({ packages: [name], d1: 'wrangler.json' })).toMatch(/D1 with .* another --driver or --framework/)
    for (const framework of ['hono', 'none'])
      expect(await decideFor({}, { driver: 'd1', framework })).toMatchObject({ driver: 'd1', framework })
  })
})

describe('questions', () => {
  const drivers = {
    postgresql: '[postgres], pg, @neondatabase/serverless, @electric-sql/pglite',
    mysql: '[mysql2], @planetscale/database',
    sqlite: '[better-sqlite3], @libsql/client, d1',
  }

  test.each(Object.entries(drivers))('ask for the database and then for a driver of %s', async (dialect, names) => {
    const { questions, driver, from } = await decideFor({}, {}, [dialect, ''])
    expect(questions).toEqual(['Which database? postgresql, mysql, sqlite: ', `Which driver? ${names}: `])
    expect(names).toContain(`[${driver}]`)
    expect(from).toBe('your answer')
  })

  test('ask for no database that an option, drizzle-kit or the only driver names', async () => {
    for (const [app, flags] of [
      [{}, { dialect: 'mysql' }],
      [{ config: { dialect: 'mysql' } }, {}],
      [{ packages: ['pg', 'mysql2'] }, { dialect: 'mysql' }],
    ] as [App, Flags][])
      for (const question of (await decideFor(app, flags, ['@planetscale/database', 'mysql2'])).questions)
        expect(question).toBe(`Which driver? ${drivers.mysql}: `)
  })

  test('ask for one of several drivers that package.json names', async () => {
    const { questions, driver } = await decideFor({ packages: ['pg', '@neondatabase/serverless'] }, {}, ['@neondatabase/serverless'])
    expect(questions).toEqual(['Which driver? [pg], @neondatabase/serverless: '])
    expect(driver).toBe('@neondatabase/serverless')
  })

  test('ask for the database if package.json names drivers of several, and offer those that fit', async () => {
    const { questions, driver } = await decideFor({ packages: ['pg', 'mysql2', 'better-sqlite3'] }, {}, ['sqlite'])
    expect(questions).toEqual(['Which database? postgresql, mysql, sqlite: '])
    expect(driver).toBe('better-sqlite3')
  })

  test.each([{}, { packages: ['pg', 'mysql2'] }, { config: {} }])('cannot be asked without a terminal: %j', async (app) => {
    expect(await problemFor(app)).toMatch(/--dialect with postgresql, mysql or sqlite\./)
  })

  test('are of no use for a dialect that this package has no tables for', async () => {
    const message = await problemFor({ packages: ['pg'], config: { dialect: 'singlestore', file: 'drizzle.config.mjs' } })
    expect(message).toMatch(/drizzle\.config\.mjs .*postgresql, mysql, sqlite/)
  })
})
