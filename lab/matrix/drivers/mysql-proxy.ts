import { drizzle } from 'drizzle-orm/mysql-proxy'
import type { Open } from '../setting.js'
import { openMysqlHttp } from './mysql-http.js'

export const open: Open = async (setting) => {
  const { send, close } = await openMysqlHttp(setting)
  return { db: drizzle(send, { logger: setting.logger }), close }
}
