import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { neonConfig, Pool } from '@neondatabase/serverless'
import { drizzle } from 'drizzle-orm/neon-serverless'
import type { WebSocket } from 'ws'
import ws, { WebSocketServer } from 'ws'
import type { Open } from '../setting.js'

export const open: Open = async ({ url, connections, logger }) => {
  const webSockets = await openWebSockets(url)
  neonConfig.webSocketConstructor = ws
  neonConfig.wsProxy = () => webSockets.address
  neonConfig.useSecureWebSocket = false
  // Neon's server accepts the password together with the startup message. A plain PostgreSQL does not.
  neonConfig.pipelineConnect = false
  neonConfig.pipelineTLS = false
  const client = new Pool({ connectionString: url, max: connections })
  return {
    db: drizzle({ client, logger }),
    async close() {
      await client.end()
      webSockets.close()
    },
  }
}

/** Starts a server like the one in front of Neon's databases: it passes the bytes of a WebSocket on to PostgreSQL. */
async function openWebSockets(url: string) {
  const { hostname, port } = new URL(url)
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
  await once(server, 'listening')
  server.on('connection', (socket: WebSocket) => {
    const upstream = connect(Number(port), hostname).setNoDelay()
    socket.on('message', (data) => upstream.write(data as Buffer))
    upstream.on('data', (data) => socket.send(data))
    socket.on('close', () => upstream.destroy())
    upstream.on('close', () => socket.close())
    upstream.on('error', () => socket.close())
  })
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() }
}
