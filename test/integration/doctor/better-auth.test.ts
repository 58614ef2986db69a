import { hashPassword } from 'better-auth/crypto'
import { organization, twoFactor } from 'better-auth/plugins'
import { describe, expect, inject, test } from 'vitest'
import type { Finding } from '../../../src/doctor/index.js'
import type { DialectName } from '../../support/dialects.js'
import { openBetterAuth } from './better-auth.js'
import { summarize } from './database.js'

const noIndexOnEnds = ['warning missing-index session.expires_at', 'warning missing-index verification.expires_at']

const dates = {
  user: 'created_at, updated_at',
  account: 'access_token_expires_at, refresh_token_expires_at, created_at, updated_at',
  session: 'expires_at, created_at, updated_at',
  verification: 'expires_at, created_at, updated_at',
}

/** What is wrong with the tables of the official adapter, beside missing indexes. */
const official: Record<DialectName, string[]> = {
  sqlite: [],
  pg: Object.entries(dates).map(([table, columns]) => `warning no-time-zone ${table}.${columns}`),
  mysql: ['error too-short verification.id'],
}

describe.each(inject('dialects'))('the doctor on tables of Better Auth on %s', (dialect) => {
  test('examines what auth generate writes', async () => {
    const { examine } = await openBetterAuth(dialect, undefined)
    expect(summarize(await examine())).toEqual(noIndexOnEnds)
  })

  test('examine again', async () => {
    const { examine } = await openBetterAuth(dialect, 'official')
    console.log(await examine())
  })
})
