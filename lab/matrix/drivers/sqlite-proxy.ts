import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { Open } from '../setting.js'
import { openSqliteFile } from './sqlite-file.js'

export const open: Open = async (setting) => {
  const { send, close } = await openSqliteFile(setting)
  const db = drizzle(
    async (sql, params, method) => {
      const answer = await send(sql, params, method)
      return method === 'run' ? { rows: [] } : { rows: method === 'get' ? answer[0] : answer }
    },
    { logger: setting.logger },
  )
  return { db, close }
}
