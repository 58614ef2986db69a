import { describe, expect, test } from 'vitest'
import { Problem } from '../../../src/cli/command.js'
import type { FailureKind } from '../../../src/cli/core.js'
import { AdapterOperationError } from '../../../src/cli/core.js'
import { explain } from '../../../src/cli/failures.js'
import { parseUrl } from '../../../src/cli/url.js'

const server = parseUrl('postgres://host/app', 'DATABASE_URL', '/')
const file = parseUrl(import.meta.filename, '--url', '/')
const failed = (kind: FailureKind) => new AdapterOperationError('sweep', kind, { code: 'X1' })

describe('what to do next', () => {
  test.each([
    ['unreachable', /The address is in DATABASE_URL/, /The address is in --url/],
    ['timeout', /Is the server reachable/, /Is the server reachable/],
    ['login', /They are in DATABASE_URL/, /They are in --url/],
    ['read-only', /Name the primary/, /May this user write the file/],
    ['schema', /pass --schema/, /pass --schema/],
  ] as const)('if it is %s', (kind, onServer, onFile) => {
    for (const [target, advice] of [
      [server, onServer],
      [file, onFile],
    ] as const) {
      const explained = explain(failed(kind), target)
      expect(explained).toBeInstanceOf(Problem)
      expect(explained).toMatchObject({ exitCode: 1, message: expect.stringMatching(advice) })
      expect(explained.message.startsWith(`${failed(kind).message}. `)).toBe(true)
    }
  })

  test('if a server may have no TLS', () => {
    const asking = parseUrl('postgres://host/app?sslmode=require', '--url', '/')
    expect(explain(failed('unreachable'), asking).message).toMatch(/Does the server have TLS, which sslmode asks for\?$/)
    expect(explain(failed('unreachable'), server).message).not.toContain('TLS')
  })

  test('if MariaDB refuses a connection without TLS', () => {
    const mysql = parseUrl('mysql://host/app', '--url', '/')
    expect(explain(failed('login'), mysql).message).toMatch(/If the server requires TLS, add \?ssl-mode=REQUIRED to the URL\.$/)
    expect(explain(failed('login'), { ...mysql, ssl: {} }).message).not.toContain('TLS')
  })

  test('can be said by the command, in place of the general advice', () => {
    expect(explain(failed('schema'), server, { schema: 'Do this.' }).message).toMatch(/\[X1\]\. Do this\.$/)
    expect(explain(failed('conflict'), server, { conflict: ({ source }) => `Look at ${source}.` }).message).toMatch(
      /Look at DATABASE_URL\.$/,
    )
    expect(explain(failed('timeout'), server, { schema: 'Do this.' }).message).toMatch(/Is the server reachable/)
  })

  test('is not known of other failures', () => {
    const conflict = failed('conflict')
    expect(explain(conflict, server)).toBe(conflict)
    for (const error of [new Problem('no'), new TypeError('no'), Object.assign(new Error('no'), { kind: 'schema' })])
      expect(explain(error, server, { schema: 'Do this.' })).toBe(error)
  })
})
