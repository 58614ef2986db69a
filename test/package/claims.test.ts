import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../support/root.js'

const read = (file: string) => readFile(join(root, file), 'utf8')

test('docs/versions.md names the oldest versions that package.json allows', async () => {
  const { peerDependencies, engines } = JSON.parse(await read('package.json')) as Record<string, Record<string, string>>
  const rows = (await read('docs/versions.md')).split('\n').filter((line) => line.startsWith('|'))
  for (const [name, range] of Object.entries({ ...peerDependencies, 'Node.js': engines?.node ?? '' }))
    for (const [, oldest = ''] of range.matchAll(/>=([\w.-]+)/g))
      expect(rows.filter((row) => row.includes(name)).join('\n'), name).toMatch(
        new RegExp(`\\b${oldest.replaceAll('.', '\\.')}(?![\\w.-])`),
      )
})

test('README.md has the figures of docs/better-auth.md', async () => {
  const page = await read('docs/better-auth.md')
  const [, version = ''] = /^\| adapter, with Better Auth ([\d.]+) \|/m.exec(page) ?? []
  const passedBy = (adapter: string) => {
    const [row = ''] = new RegExp(`^\\| \`${adapter}\`.*$`, 'm').exec(page) ?? []
    return [...row.matchAll(/(\d+) of (\d+)/g)].map(([, passed, all]) => [passed, all])
  }
  const [ours, main, relations] = [
    'drizzle-auth-adapter/better-auth',
    '@better-auth/drizzle-adapter',
    '@better-auth/drizzle-adapter/relations-v2',
  ].map(passedBy)
  const [[all] = []] = ours ?? []
  expect(ours).toEqual([all, all, all].map((each) => [each, each]))
  const [[sqlite] = [], [pg] = [], [mysql] = []] = main ?? []
  const [[sqlite2] = [], [pg2] = [], [mysql2] = []] = relations ?? []
  const readme = await read('README.md')
  expect(readme).toContain(`passes all ${all} cases`)
  expect(readme).toContain(
    `\`@better-auth/drizzle-adapter\` ${version} passes ${sqlite} on SQLite, ${pg} on PostgreSQL and ${mysql} on MySQL`,
  )
  expect(readme).toContain(`\`relations-v2\` for Drizzle 1.0 passes ${sqlite2}, ${pg2} and ${mysql2}`)
})

test('the home page says of Better Auth only what docs/better-auth.md says of both entries of its adapter', async () => {
  const [, comparison = ''] = (await read('website/index.md')).split('| `@better-auth/drizzle-adapter` | this adapter |\n|---|---|---|\n')
  const rows = comparison.slice(0, comparison.indexOf('\n\n')).split('\n')
  expect(rows.length).toBeGreaterThan(3)
  const lines = new Set((await read('docs/better-auth.md')).split('\n'))
  for (const row of rows) expect(lines).toContain(row.replace(/\| (on [\w, ]+) \|/, '| $1 | $1 |'))
})

test('docs/errors.md explains every kind of an error, and no other', async () => {
  const [, explained = ''] = /^const explanations = \{$(.*?)^\}/ms.exec(await read('src/query/errors.ts')) ?? []
  const kinds = [...explained.matchAll(/^ {2}'?([\w-]+)'?:/gm)].map(([, kind]) => kind)
  const [, table = ''] = /\n\| `kind` \| meaning[^\n]*\n(.*?)\n\n/s.exec(await read('docs/errors.md')) ?? []
  expect(kinds).toContain('duplicate')
  expect([...table.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, kind]) => kind)).toEqual(kinds)
})
