import { describe, expect, test } from 'vitest'
import { drivers } from '../../../../src/cli/init/drivers.js'
import { frameworks } from '../../../../src/cli/init/frameworks.js'
import type { Plan } from '../../../../src/cli/init/plan.js'
import type { Project } from '../../../../src/cli/init/project.js'
import { filesText, foundText, stepsText } from '../../../../src/cli/init/report.js'

// What init prints: what it found, what it wrote, and what to do next.

const projectOf = (more: Partial<Project> = {}): Project => ({
  cwd: '/app',
  isEmpty: false,
  packages: {},
  isModule: true,
  usesTypeScript: true,
  manager: 'npm',
  ...more,
})

const decisionsOf = (driver: string, framework: string) => ({
  driver: { value: drivers.find(({ name }) => name === driver) ?? expect.fail(driver), from: 'its place' },
  framework: { value: frameworks.find(({ name }) => name === framework) ?? expect.fail(framework), from: 'another place' },
})

describe('what was found', () => {
  const rows = (project: Partial<Project>, driver = 'pg', framework = 'next') =>
    foundText(projectOf(project), decisionsOf(driver, framework))

  test('is a table with a row for each subject', () => {
    expect(rows({ config: { file: 'drizzle.config.mjs' }, manager: 'pnpm' })).toBe(
      [
        'Found',
        '  project          TypeScript',
        '  framework        Next.js (another place)',
        '  database         PostgreSQL',
        '  driver           pg (its place)',
        '  drizzle-kit      drizzle.config.mjs',
        '  package manager  pnpm\n',
      ].join('\n'),
    )
  })

  test('may be a new project, or one in JavaScript, without a configuration of drizzle-kit', () => {
    expect(rows({ isEmpty: true })).toMatch(/project +no package\.json[\s\S]*drizzle-kit +no configuration/)
    expect(rows({ usesTypeScript: false })).toMatch(/project +JavaScript\n/)
  })

  test.each([
    ['postgres', 'PostgreSQL'],
    ['mysql2', 'MySQL or MariaDB'],
    ['d1', 'SQLite'],
  ])('is the database of %s', (driver, database) => {
    expect(rows({}, driver)).toContain(`  database         ${database}\n`)
  })
})

describe('the files', () => {
  const files = [
    { path: 'schema.ts', text: 'a\n\n  b\n' },
    { path: 'auth.ts', text: 'c\n' },
  ]
  const kept = [{ path: 'drizzle.config.ts', why: 'is there' }]

  test('are those that were written, and those that were left as they are', () => {
    const text = filesText({ files, kept, advice: [] }, false)
    expect(text).toBe('\nWritten\n  schema.ts\n  auth.ts\n\nLeft as it is\n  drizzle.config.ts is there\n')
  })

  test('are shown instead of written, with lines that can be copied', () => {
    const text = filesText({ files, kept: [], advice: [] }, true)
    expect(text).toBe('\nWould write\n  schema.ts\n\n    a\n\n      b\n\n  auth.ts\n\n    c\n\n')
  })

  test('may be none', () => {
    expect(filesText({ files: [], kept, advice: [] }, false)).toBe('\nLeft as it is\n  drizzle.config.ts is there\n')
    expect(filesText({ files: [], kept: [], advice: [] }, false)).toBe('')
  })
})

interface Steps extends Partial<Project> {
  driver?: string
  framework?: string
  plan?: Partial<Plan>
  env?: string | undefined
}

const textOf = ({ driver = 'pg', framework = 'express', plan = {}, env, ...project }: Steps) =>
  stepsText(projectOf(project), decisionsOf(driver, framework), { files: [], kept: [], advice: [], ...plan }, env)

/** The steps without their numbers and their indentation. */
const stepsOf = (app: Steps) =>
  textOf(app)
    .split(/\n\n(?=\d)/)
    .slice(1)
    .map((step) =>
      step
        .replace(/^\d\. /, '')
        .replaceAll(/^ +/gm, '')
        .trimEnd(),
    )

const stepWith = (app: Steps, words: string) => stepsOf(app).find((step) => step.includes(words))

const installed = {
  'drizzle-auth-adapter': '1',
  '@auth/express': '1',
  'drizzle-orm': '^0.45.0',
  pg: '8',
  'drizzle-kit': '1',
  '@types/pg': '8',
}

describe('the next steps', () => {
  test('are numbered, with commands that are indented below them', () => {
    const advice = [{ title: 'Add to db.ts', text: "export * from './auth-schema.js'\n\nif (a) {\n  b()\n}\n" }]
    expect(textOf({ isModule: false, plan: { advice } })).toMatch(
      new RegExp(
        [
          String.raw`^\nNext\n\n`,
          String.raw`1\. Add to db\.ts:\n\n {5}export \* from '\./auth-schema\.js'\n\n {5}if \(a\) \{\n {7}b\(\)\n {5}\}\n\n`,
          String.raw`2\. .*\.cjs:\n\n {5}npm pkg set type=module\n\n`,
          String.raw`3\. Install .*:\n\n {5}npm install .*\n {5}npm install --save-dev .*\n\n`,
          String.raw`4\. .*\.gitignore:\n\n {5}DATABASE_URL=postgres:.*\n\n`,
          String.raw`5\. .*\.env:\n\n {5}node -e .* >> \.env\n\n`,
          String.raw`6\. .*:\n\n {5}npx drizzle-kit generate\n {5}npx drizzle-kit migrate\n\n`,
          String.raw`7\. Start .*\n$`,
        ].join(''),
      ),
    )
  })

  test('make the app an ES module, unless it is one or has a bundler', () => {
    expect(stepWith({ isModule: false }, 'type=module')).toBeDefined()
    expect(stepWith({ isModule: true }, 'type=module')).toBeUndefined()
    expect(stepWith({ isModule: false, framework: 'next' }, 'type=module')).toBeUndefined()
  })

  test('are to make the tables and to start, where the app has everything', () => {
    const env = 'DATABASE_URL=app\nAUTH_SECRET=secret\n'
    const steps = [expect.stringMatching(/^Make the tables:/), expect.stringMatching(/^Start your app/)]
    expect(stepsOf({ packages: installed, env })).toEqual(steps)
  })
})

describe('what has to be installed', () => {
  const installs = (app: Steps) => stepWith(app, 'Install')?.split('\n').slice(2)

  test.each([
    ['npm', 'npm install', 'npm install --save-dev', 'npx'],
    ['pnpm', 'pnpm add', 'pnpm add --save-dev', 'pnpm exec'],
    ['yarn', 'yarn add', 'yarn add --dev', 'yarn'],
    ['bun', 'bun add', 'bun add --dev', 'bunx'],
  ] as const)('with %s', (manager, add, addDev, exec) => {
    expect(installs({ manager })).toEqual([`${add} drizzle-auth-adapter @auth/express drizzle-orm pg`, `${addDev} drizzle-kit @types/pg`])
    expect(stepWith({ manager }, 'generate')).toContain(`\n${exec} drizzle-kit generate\n${exec} drizzle-kit migrate`)
    expect(stepWith({ manager, plan: { server: 'server.ts' } }, 'Start')).toContain(`${exec} tsx --env-file=.env server.ts`)
  })

  test('is what is missing', () => {
    expect(stepWith({}, 'Install')).toMatch(/^Install what is missing:\n/)
    expect(installs({ packages: installed })).toBeUndefined()
    const { pg, '@types/pg': types, ...others } = installed
    expect(installs({ packages: others })).toEqual(['npm install pg', 'npm install --save-dev @types/pg'])
    expect(installs({ packages: { ...others, pg } })).toEqual(['npm install --save-dev @types/pg'])
    expect(installs({ packages: { ...others, pg }, usesTypeScript: false })).toBeUndefined()
    expect(installs({ packages: { ...others, '@types/pg': types } })).toEqual(['npm install pg'])
  })

  test.each([
    [
      'mysql2',
      'hono',
      ['npm install drizzle-auth-adapter @hono/auth-js @auth/core drizzle-orm mysql2', 'npm install --save-dev drizzle-kit'],
    ],
    [
      'd1',
      'hono',
      ['npm install drizzle-auth-adapter @hono/auth-js @auth/core drizzle-orm', 'npm install --save-dev drizzle-kit wrangler'],
    ],
    ['postgres', 'next', ['npm install drizzle-auth-adapter next-auth@beta drizzle-orm postgres', 'npm install --save-dev drizzle-kit']],
  ])('for %s with %s', (driver, framework, lines) => {
    expect(installs({ driver, framework })).toEqual(lines)
  })

  test.each(['4.24.0', '5.0.0-beta.25'])('is not another next-auth than %s', (version) => {
    expect(installs({ framework: 'next', packages: { 'next-auth': version } })?.[0]).toBe('npm install drizzle-auth-adapter drizzle-orm pg')
  })

  test('is also what runs a server in TypeScript', () => {
    const tools = 'npm install --save-dev drizzle-kit tsx typescript @types/node'
    const app = { driver: 'postgres', framework: 'none', plan: { server: 'server.ts' } }
    expect(installs(app)?.[1]).toBe(tools)
    expect(installs({ ...app, usesTypeScript: false })?.[1]).toBe('npm install --save-dev drizzle-kit')
    expect(installs({ ...app, plan: {} })?.[1]).toBe('npm install --save-dev drizzle-kit')
  })

  test.each(['0.9.0', '^0.36.0', '~0.44.7', '0.30.1'])('is a newer Drizzle than %s', (version) => {
    const app = { packages: { ...installed, 'drizzle-orm': version } }
    expect(stepWith(app, 'Install')).toMatch(/older than 0\.45/)
    expect(installs(app)).toEqual(['npm install drizzle-orm@latest'])
  })

  test.each(['0.45.0', '^0.45.4', '~0.50.0', '0.100.0', '10.0.0', 'latest', '>=0.36.0'])('is no newer Drizzle than %s', (version) => {
    expect(installs({ packages: { ...installed, 'drizzle-orm': version } })).toBeUndefined()
  })

  test.each([
    ['1.0.0-rc.5', 'drizzle-kit@1.0.0-rc.5'],
    ['^1.0.0', `'drizzle-kit@^1.0.0'`],
    ['~1.2.0', `'drizzle-kit@~1.2.0'`],
    ['0.45.1', 'drizzle-kit'],
    ['10.0.0', 'drizzle-kit'],
    ['npm:1.0.0', 'drizzle-kit'],
  ])('is the drizzle-kit of Drizzle %s', (version, kit) => {
    const { 'drizzle-kit': _, ...others } = installed
    expect(installs({ packages: { ...others, 'drizzle-orm': version } })).toEqual([`npm install --save-dev ${kit}`])
    expect(installs({ packages: { ...installed, 'drizzle-orm': version } })).toBeUndefined()
  })
})

describe('the variables', () => {
  const asked = (app: Steps) => ['DATABASE_URL=', 'AUTH_SECRET='].filter((name) => stepWith(app, name))

  test.each([
    [undefined, ['DATABASE_URL=', 'AUTH_SECRET=']],
    ['', ['DATABASE_URL=', 'AUTH_SECRET=']],
    ['DATABASE_URL=TopSecret', ['AUTH_SECRET=']],
    ['A=1\n  export DATABASE_URL = TopSecret\nAUTH_SECRET=TopSecret', []],
    ['export  AUTH_SECRET=TopSecret', ['DATABASE_URL=']],
    ['# DATABASE_URL=TopSecret\nTEST_DATABASE_URL=TopSecret\nAUTH_SECRET_OLD=TopSecret', ['DATABASE_URL=', 'AUTH_SECRET=']],
  ])('of %j', (env, missing) => {
    expect(asked({ env })).toEqual(missing)
    expect(textOf({ env })).not.toContain('TopSecret')
  })

  test('have an address to start with', () => {
    expect(stepWith({ driver: '@electric-sql/pglite' }, 'DATABASE_URL')).toMatch(/\.env into \.gitignore:\n\nDATABASE_URL=\.\/pgdata$/)
  })

  test('of Wrangler are in a file of its own, without an address', () => {
    const app = { driver: 'd1', framework: 'hono' }
    expect(asked(app)).toEqual(['AUTH_SECRET='])
    expect(stepWith(app, 'AUTH_SECRET')).toMatch(/ >> \.dev\.vars$/)
    expect(stepWith(app, 'generate')).toContain('\nnpx drizzle-kit generate\nnpx wrangler d1 migrations apply DB --local')
    expect(textOf(app)).not.toMatch(/\.env\b/)
  })
})

describe('the start', () => {
  test.each([
    ['express', 'pg', 'http://localhost:3000/auth/signin', /^Start your app with the variables of \.env/],
    ['none', 'pg', 'http://localhost:3000/auth/signin', /^Start your app with the variables of \.env/],
    ['next', 'pg', 'http://localhost:3000/api/auth/signin', /^Start your app,/],
    ['sveltekit', 'pg', 'http://localhost:5173/auth/signin', /^Start your app,/],
    ['hono', 'd1', 'http://localhost:3000/auth/signin', /^Start your app,/],
  ])('of %s with %s', (framework, driver, page, how) => {
    const step = stepsOf({ framework, driver }).at(-1)
    expect(step).toContain(`open ${page} `)
    expect(step).toMatch(how)
  })

  test('of the server that was written', () => {
    const app = { framework: 'none', plan: { server: 'src/server.js' } }
    expect(stepsOf({ ...app, usesTypeScript: false }).at(-1)).toMatch(
      /open http:\S+\/auth\/signin, .*:\n\nnode --env-file=\.env src\/server\.js$/,
    )
    expect(stepsOf(app).at(-1)).toMatch(/\n\nnpx tsx --env-file=\.env src\/server\.js$/)
  })
})
