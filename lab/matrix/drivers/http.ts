import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Statement {
  sql: string
  params: unknown[]
  method: string
}

/** Starts a server that runs statements over HTTP with JSON, and returns a function that sends statements to it. */
export async function openHttp(run: (statement: Statement) => Promise<unknown>) {
  const server = createServer(async (request, response) => {
    try {
      const statement = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'))
      response.end(JSON.stringify(await run(statement)))
    } catch (error) {
      const { message, code, errno } = error as Error & { code?: string; errno?: number }
      response.writeHead(500).end(JSON.stringify({ message, code, errno }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  // biome-ignore lint/suspicious/noExplicitAny: Drizzle's proxies take rows of any kind
  async function send(sql: string, params: unknown[], method: string): Promise<any> {
    const response = await fetch(address, { method: 'POST', body: JSON.stringify({ sql, params, method }) })
    const body = (await response.json()) as { message?: string }
    // A proxy must pass errors on with their codes.
    if (!response.ok) throw Object.assign(new Error(body.message), body)
    return body
  }

  return {
    send,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
