import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { waitFor } from '../../../examples/runner/server.js'
import { openUnicode } from '../../auth/better-auth/store.js'
import type { DialectName } from '../../support/dialects.js'
import { capture, start } from '../../support/process.js'
import { root } from '../../support/root.js'
import { findPort } from '../../support/servers/port.js'
import { temporaryFolder } from '../../support/servers/scratch.js'
import { versionOf } from '../../support/versions.js'
import { pack } from '../consumer/project.js'

const titles: Record<DialectName, string> = { pg: 'PostgreSQL', mysql: 'MySQL and MariaDB', sqlite: 'SQLite' }

interface Block {
  language: string
  text: string
}

/** The code blocks that someone with this database follows: auth.ts, and those of the section "Start" in their order. */
async function blocksFor(dialect: DialectName): Promise<Block[]> {
  const page = await readFile(join(root, 'docs/better-auth.md'), 'utf8')
  const [, intro = '', steps = ''] = /^(.*?)^## Start$(.*?)^## /ms.exec(page) ?? []
  const own = steps.replace(
    /<!-- tabs -->(.*?)<!-- \/tabs -->/gs,
    (_, tabs: string) => tabs.split(/^\*\*(?=.*\*\*$)/m).find((tab) => tab.startsWith(titles[dialect])) ?? '',
  )
  return [...`${intro}${own}`.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({ language, text }))
}

/** The packages that the tests of this project use, in place of the newest. */
async function pinned(command: string, tarball: string, kit: string): Promise<string> {
  const [npm, install, ...names] = command.split(' ')
  const versions = names.map(async (name) => {
    if (name === 'drizzle-auth-adapter') return tarball
    if (name === 'drizzle-auth-kit') return kit
    if (name.startsWith('--')) return name
    return `${name}@${name === '@libsql/client' ? '0.18' : await versionOf(name)}`
  })
  return [npm, install, '--prefer-offline --no-audit --no-fund', ...(await Promise.all(versions))].join(' ')
}

/** The command of a shell, with a Node.js that the command line of Better Auth runs on. */
function shell(command: string): [string, string[]] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 12)) return ['sh', ['-c', command]]
  return ['npm', ['exec', '--yes', '--package=node@22', '--', 'sh', '-c', command]]
}

describe.each(inject('dialects'))('docs/better-auth.md on %s', (dialect) => {
  test('leads from an empty folder to a session', async () => {
    const database = await openUnicode(dialect, [])
    onTestFinished(database.close)
    const port = await findPort()
    const folder = temporaryFolder('better-auth-page-')
    const tarball = await pack(folder)
    const kit = await pack(folder, 'kit')
    const options = { cwd: folder, env: { BETTER_AUTH_TELEMETRY: '0' } }
    const run = async (command: string) => {
      const { code, output } = await capture(...shell(command), options)
      if (code !== 0) throw new Error(`${command}\n\n${output}`)
      return output
    }
    const printed: string[] = []
    for (const { language, text } of await blocksFor(dialect)) {
      const content = text.replaceAll('3000', `${port}`)
      if (language === 'ts') await writeFile(join(folder, /^\/\/ ([\w.-]+)/.exec(content)?.[1] ?? ''), content)
      if (language === 'json') await writeFile(join(folder, 'tsconfig.json'), content)
      // PostgreSQL and MySQL have another address here.
      if (language === 'ini')
        await appendFile(join(folder, '.env'), dialect === 'sqlite' ? content : content.replace(/(?<=^DATABASE_URL=).*/m, database.url))
      if (language !== 'sh') continue
      for (const command of content.trim().split('\n')) {
        if (command.startsWith('npm install')) await run(await pinned(command, tarball, kit))
        else if (command.includes('server.ts')) {
          const server = start(...shell(command), options)
          onTestFinished(server.stop)
          const answers = () => fetch(`http://localhost:${port}`).then(Boolean, () => false)
          await waitFor({ ...server, origin: '' }, 100, answers)
        } else printed.push(await run(command))
      }
    }
    expect(JSON.parse(printed.at(-1)?.match(/\{.*\}/)?.[0] ?? '{}')).toMatchObject({ user: { email: 'ada@example.com' } })
    await run('npx tsc')
    await run('npx auth check')
  }, 900_000)
})
