import { nodePgCodecs } from 'drizzle-orm-v1/node-postgres'
import { drizzle } from 'drizzle-orm-v1/pg-proxy'
import type { Open } from '../setting.js'
import { openPgHttp } from './pg-http.js'

// Drizzle 1.0 decodes the rows of a proxy with the given codecs. Without codecs, it does not decode them, and dates stay text.
export const open: Open = async (setting) => {
  const { send, close } = await openPgHttp(setting)
  return { db: drizzle(send, { codecs: nodePgCodecs, logger: setting.logger }), close }
}
