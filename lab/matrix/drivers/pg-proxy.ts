import { drizzle } from 'drizzle-orm/pg-proxy'
import type { Open } from '../setting.js'
import { openPgHttp } from './pg-http.js'

export const open: Open = async (setting) => {
  const { send, close } = await openPgHttp(setting)
  return { db: drizzle(send, { logger: setting.logger }), close }
}
