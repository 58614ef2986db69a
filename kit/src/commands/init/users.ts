import type { DriverChoice } from './drivers.js'
import type { UsersTable } from './tables.js'

const emailVerified = {
  pg: { type: 'timestamp', options: "{ mode: 'date', precision: 3 }" },
  mysql: { type: 'datetime', options: "{ mode: 'date', fsp: 3 }" },
  sqlite: { type: 'integer', options: "{ mode: 'timestamp_ms' }" },
}

/** What the app's own users table needs, so that Auth.js can use it. */
export function usersAdvice(
  { file, name, hasEmailVerified, required, isSnakeCase, text }: UsersTable,
  { dialect }: DriverChoice,
  isDone: boolean,
) {
  const { type, options } = emailVerified[dialect]
  const isImported = new RegExp(`import[^;]*?\\b${type}\\b[^;]*?from ["']drizzle-orm/`).test(text)
  const lines = [
    ...(isImported ? [] : [`import { ${type} } from 'drizzle-orm/${dialect}-core'`, '']),
    `emailVerified: ${type}(${isSnakeCase ? "'email_verified', " : ''}${options}),`,
  ]
  const check = `Check ${name} in ${file}: Auth.js creates users with id, name, email, emailVerified and image. Every other column must be nullable or have a default. A numeric id needs a default, too`
  const fill = `${name} in ${file} requires ${required.join(', ')}, which Auth.js does not always fill. Make ${required.length === 1 ? 'it nullable, or give it a default' : 'them nullable, or give them defaults'}`
  return [
    ...(hasEmailVerified ? [] : [{ title: `Auth.js will use ${name} in ${file}. Add this column to it`, text: lines.join('\n') }]),
    ...(required.length > 0 ? [{ title: fill }] : []),
    ...(isDone ? [] : [{ title: check }]),
  ]
}
