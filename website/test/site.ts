import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import { findPort } from '../../test/support/servers/port.js'

const website = join(import.meta.dirname, '..')

/** The folder that `npm run docs:build` writes. */
export const site = join(website, '../site')

/** The paths of all pages. */
export async function pages(): Promise<string[]> {
  const files = (await readdir(site, { recursive: true })).filter((file) => file.endsWith('.html') && file !== '404.html')
  return files.map((file) => file.replace(/(?:(^|\/)index)?\.html$/, '$1'))
}

/** Serves the built site. */
export async function serveSite() {
  const port = await findPort()
  const command = [join(website, 'node_modules/vitepress/bin/vitepress.js'), 'preview', website, '--port', String(port)]
  const server = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(server, 'exit')
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk))
  const url = `http://localhost:${port}${process.env.DOCS_BASE || '/'}`
  await vi.waitFor(async () => expect((await fetch(url)).status, output).toBe(200), { timeout: 60_000, interval: 100 })
  return {
    url,
    async stop() {
      server.kill()
      await ended
    },
  }
}
