import { describe, expect, inject, test } from 'vitest'
import { generatedCode, openBetterAuth } from '../doctor/better-auth.js'
import { openTestDatabase } from '../doctor/database.js'
import { installedApp, run, start } from './app.js'

describe.each(inject('dialects'))('doctor on tables of Better Auth on %s', (dialect) => {
  test('says so in its first line, and examines the schema file that auth generate wrote', async () => {
    const { url } = await openBetterAuth(dialect)
    const app = await installedApp({ files: { 'auth-schema.ts': await generatedCode(dialect) } })
    const { code, stdout, stderr } = await start(app, ['doctor', '--url', url, '--schema', 'auth-schema.ts']).ended
    expect(stderr).toMatch(/^examining the tables of Better Auth in \S+\n$/)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/\[missing-index\][\s\S]*\n0 errors, 2 warnings\n$/) })
  })

  test('asks for the schema file, instead of examining tables that the database does not have', async () => {
    const { url } = await openBetterAuth(dialect, 'official')
    const { code, stdout, stderr } = await run(['doctor', '--url', url])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/the database has tables of Better Auth: user, account, session, verification, rate_limit\. Pass --schema/)
  })

  test('names both libraries if the schema has both', async () => {
    const { url } = await openTestDatabase(dialect)
    const both = `${await generatedCode(dialect)}
import { defineTables } from 'drizzle-auth-adapter/${dialect}'
export const { usersTable, accountsTable, sessionsTable, verificationTokensTable } = defineTables()
`
    const app = await installedApp({ files: { 'schema.ts': both } })
    const { code, stderr } = await start(app, ['doctor', '--json', '--url', url, '--schema', 'schema.ts']).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^examining the tables of Auth\.js and Better Auth in \S+\n$/),
    })
  })
})
