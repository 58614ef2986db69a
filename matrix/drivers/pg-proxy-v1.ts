import { nodePgCodecs } from 'drizzle-orm-v1/node-postgres'
import { drizzle } from 'drizzle-orm-v1/pg-proxy'
import type { Open } from '../setting.js'
import { openPgHttp } from './pg-http.js'

// Drizzle 1.0 reads what a proxy answers with the codecs that it is given, and without them not at all: dates would stay text.
export const open: Open = async (setting) => {
  const { ask, trips, close } = await openPgHttp(setting)
  return { db: drizzle(ask, { codecs: nodePgCodecs, logger: setting.logger }), trips, close }
}
