import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import { connect, createServer } from 'node:net'
import { describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { openClient } from '../../support/client.js'
import { openDatabase } from '../../support/databases.js'
import type { DialectName } from '../../support/dialects.js'
import { snippets, writeSnippets } from '../../support/snippets.js'
import { statusOf, strangeTargets } from '../../support/targets.js'

const page = 'docs/getting-started.md'
const names: Record<DialectName, string> = { pg: 'PostgreSQL', mysql: 'MySQL', sqlite: 'SQLite' }

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe.each(inject('dialects'))('docs/getting-started.md on %s', (dialect) => {
  test('leads to a signed-in user', async () => {
    const { url, close } = await openDatabase(dialect)
    onTestFinished(close)
    vi.stubEnv('DATABASE_URL', url)
    vi.stubEnv('AUTH_SECRET', 'a secret of the tests')
    onTestFinished(() => void vi.unstubAllEnvs())
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line))
    onTestFinished(() => void vi.restoreAllMocks())

    const port = `${await freePort()}`
    const server = (await snippets(page)).find(({ file }) => file === 'server.ts')?.text.replaceAll('3000', port) ?? ''
    const app = await writeSnippets(page, { 'server.ts': server }, names[dialect])
    onTestFinished(app.remove)
    const { client } = await app.load('db.ts')
    onTestFinished(() => (dialect === 'sqlite' ? client.close() : client.end()))
    const started: { server: Server } = await app.load('server.ts')
    onTestFinished(() => void started.server.close())
    await vi.waitUntil(() => started.server.listening, { timeout: 20_000 })

    const origin = `http://localhost:${port}`
    const browser = openClient(origin, (request) => fetch(request, { redirect: 'manual' }))
    const { csrfToken } = await (await browser.go('/auth/csrf')).response.json()

    const form = { csrfToken, email: 'ada@example.com', callbackUrl: '/' }
    const headers = { cookie: `authjs.csrf-token=${browser.cookie('authjs.csrf-token')}` }
    for (const target of strangeTargets('/auth/signin/email')) {
      expect(await statusOf(origin, target, { form, headers }), target).toBe(400)
      expect(await statusOf(origin, target), target).toBe(400)
    }
    expect(printed.filter((line) => line.includes('sign in at'))).toEqual([])

    // A client that gives up half-way does not end the server.
    const failed = vi.spyOn(console, 'error').mockImplementation(() => {})
    const socket = connect(Number(port), 'localhost')
    socket.write('POST /auth/signin/email HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nemail')
    await once(socket, 'connect')
    socket.destroySoon()
    await vi.waitUntil(() => failed.mock.calls.length > 0)

    await browser.go('/auth/signin/email', { csrfToken, email: 'ada@example.com', callbackUrl: '/' })
    const link = printed.map((line) => /^To ada@example\.com: sign in at (\S+)$/.exec(line)?.[1]).find(Boolean) ?? ''
    await browser.go(link)
    expect(await (await browser.go('/')).response.text()).toBe('Signed in as ada@example.com')
  })
})
