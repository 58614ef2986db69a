import { drizzle } from 'drizzle-orm-v1/mysql-proxy'
import { mysql2Codecs } from 'drizzle-orm-v1/mysql2'
import type { Open } from '../setting.js'
import { openMysqlHttp } from './mysql-http.js'

// Drizzle 1.0 reads what a proxy answers with the codecs that it is given, and without them not at all: dates would stay text.
export const open: Open = async (setting) => {
  const { send, close } = await openMysqlHttp(setting)
  return { db: drizzle(send, { codecs: mysql2Codecs, logger: setting.logger }), close }
}
