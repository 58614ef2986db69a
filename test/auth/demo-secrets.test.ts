import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startDemo } from '../../demo/demo.js'
import { openClient } from '../support/client.js'

interface Live {
  tables: { name: string; rows: { row: Record<string, string> }[] }[]
}

/** The tables as the demo sends them to its page. */
async function readTables(origin: string): Promise<Live> {
  const response = await fetch(`${origin}/live`)
  let text = ''
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(chunk)
    const data = /^data: (.*)\n\n/m.exec(text)?.[1]
    if (data) return JSON.parse(data)
  }
  return expect.fail('the demo shows nothing')
}

describe.runIf(inject('dialects').includes('sqlite') && process.env.DRIZZLE === 'drizzle 0.45')('the demo with secrets at rest', () => {
  test('shows stored values with a part of the raw ones, and revokes sessions by their stored value', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'demo-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'demo.sqlite')
    const demo = await startDemo({ port: 0, databaseUrl: `file:${file}`, strategy: 'database', protect: true, log: () => {} })
    onTestFinished(demo.stop)
    const signIn = async () => {
      const client = openClient(demo.origin, (request) => {
        request.headers.set('origin', demo.origin)
        return fetch(request)
      })
      await client.go('/auth/signin/nodemailer', { email: 'ada@example.com', callbackUrl: '/' })
      const mailbox = await (await fetch(`${demo.origin}/mailbox`)).text()
      // When the user confirms, the page of the link posts the part after the #.
      const sent = /href="[^"]*\/confirm#([^"]*)"/.exec(mailbox)?.[1]?.replaceAll('&amp;', '&')
      await client.go(`/auth/callback/nodemailer?${sent}`, {})
      return client
    }
    const [client] = [await signIn(), await signIn()]
    const token = client.cookie('authjs.session-token') as string
    expect(token).toMatch(/^[\da-f-]{36}$/)

    const database = new Database(file, { readonly: true })
    onTestFinished(() => void database.close())
    const sessions = () => database.prepare('select * from session').all() as { sessionToken: string }[]
    expect(sessions().map(({ sessionToken }) => sessionToken.slice(0, 3))).toEqual(['s1.', 's1.'])

    const shown = (await readTables(demo.origin)).tables.find(({ name }) => name === 'session')?.rows.map(({ row }) => row.sessionToken)
    expect(shown).toHaveLength(2)
    expect(shown).toContainEqual(expect.stringMatching(new RegExp(`^s1\\.[\\w-]{13}… \\(raw: ${token.slice(0, 4)}••••\\)$`)))

    const page = await (await client.go('/devices')).response.text()
    expect(page).toContain('This browser')
    const other = /name="session" value="([^"]+)"/.exec(page)?.[1] as string
    await client.go('/revoke', { session: other })
    expect(sessions()).toHaveLength(1)
    expect(await (await client.go('/devices')).response.text()).toContain('This browser')
  })
})
