import type { DriverChoice } from './drivers.js'
import { adapterLines, frameworks } from './frameworks.js'
import type { Library } from './library.js'
import { serverFile } from './starter.js'

export const authjs: Library = {
  name: 'authjs',
  title: 'Auth.js',
  frameworks,
  hasPackage: (name) => name === 'next-auth' || name === '@hono/auth-js' || name.startsWith('@auth/'),
  isConfiguration: (text) => /next-auth|@auth\/|auth-js/.test(text),
  schemaNames: ['schema', 'auth-schema'],
  hasTables: (text) => /drizzle-auth-adapter\/(pg|mysql|sqlite)/.test(text),
  takesUsers: true,
  tablesFile,
  adapterLines,
  serverFile,
  devPackages: [],
  secret: 'AUTH_SECRET',
  tryIt: (origin, base) => ({
    next: `open ${origin}${base}/signin, enter an email address, and follow the link in the console`,
    lines: [],
  }),
}

function tablesFile({ dialect, hasNoForeignKeys }: DriverChoice, casing?: string, users?: { name: string; path: string }): string {
  const own = users && (users.name === 'usersTable' ? users.name : `usersTable: ${users.name}`)
  const options = [own, hasNoForeignKeys && 'foreignKeys: false', casing && `casing: '${casing}'`].filter(Boolean).join(', ')
  const names = [...(users ? [] : ['usersTable']), 'accountsTable', 'sessionsTable', 'verificationTokensTable', 'authenticatorsTable']
  const lines = [
    `import { defineTables } from 'drizzle-auth-adapter/${dialect}'`,
    ...(users ? [`import { ${users.name} } from ${users.path}`] : []),
    '',
    `export const { ${names.join(', ')} } = defineTables(${options && `{ ${options} }`})`,
  ]
  return `${lines.join('\n')}\n`
}
