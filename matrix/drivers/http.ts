import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Question {
  sql: string
  params: unknown[]
  method: string
}

/** A server that answers statements over HTTP, as JSON, and the function that asks it. */
export async function openHttp(answer: (question: Question) => Promise<unknown>) {
  let trips = 0
  const server = createServer(async (request, response) => {
    trips++
    try {
      const question = JSON.parse(Buffer.concat(await request.toArray()).toString('utf8'))
      response.end(JSON.stringify(await answer(question)))
    } catch (error) {
      const { message, code, errno } = error as Error & { code?: string; errno?: number }
      response.writeHead(500).end(JSON.stringify({ message, code, errno }))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  // biome-ignore lint/suspicious/noExplicitAny: Drizzle's proxies take rows of any kind
  async function ask(sql: string, params: unknown[], method: string): Promise<any> {
    const response = await fetch(address, { method: 'POST', body: JSON.stringify({ sql, params, method }) })
    const body = (await response.json()) as { message?: string }
    // A proxy must hand failures on, with their codes.
    if (!response.ok) throw Object.assign(new Error(body.message), body)
    return body
  }

  return {
    ask,
    trips: () => trips,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
