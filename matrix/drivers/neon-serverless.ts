import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { neonConfig, Pool } from '@neondatabase/serverless'
import { drizzle } from 'drizzle-orm/neon-serverless'
import type { WebSocket } from 'ws'
import ws, { WebSocketServer } from 'ws'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, connections, logger }) => {
  const proxy = await openProxy(url)
  neonConfig.webSocketConstructor = ws
  neonConfig.wsProxy = () => proxy.address
  neonConfig.useSecureWebSocket = false
  // The server of Neon takes a password with the start of a connection; a plain PostgreSQL does not.
  neonConfig.pipelineConnect = false
  neonConfig.pipelineTLS = false
  const client = new Pool({ connectionString: url, max: connections })
  return {
    db: drizzle({ client, logger }),
    trips: proxy.trips,
    async close() {
      await client.end()
      proxy.close()
    },
  }
}

/** What stands before Neon's databases: a server that hands the bytes of a WebSocket on to PostgreSQL. */
async function openProxy(url: string) {
  const { hostname, port } = new URL(url)
  let trips = 0
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  server.on('connection', (socket: WebSocket) => {
    const upstream = connect(Number(port), hostname)
    let serverSpoke = true
    socket.on('message', (data) => {
      if (serverSpoke) trips++
      serverSpoke = false
      upstream.write(data as Buffer)
    })
    upstream.on('data', (data) => {
      serverSpoke = true
      socket.send(data)
    })
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.close())
    upstream.on('error', () => socket.close())
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}/v1`, trips: () => trips, close: () => server.close() }
}
