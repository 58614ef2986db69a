import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseUrl } from '../../../src/commands/url.js'
import { folderWith } from '../../commands/app.js'

// What the parameters of a URL ask for. kit/test/commands/tls.slow.test.ts connects to servers with them.

const parse = (url: string, cwd = '/') => parseUrl(url, '--url', cwd)
const mysql = (query: string, cwd?: string) => {
  const { ssl, isTlsOptional = false } = parse(`mysql://host/app?${query}`, cwd)
  return { ssl, isTlsOptional }
}

function expectRejection(url: string, message: RegExp): void {
  const problem = expect.objectContaining({ message: expect.stringMatching(message), exitCode: 2 })
  expect(() => parse(url)).toThrow(problem)
  expect(() => parse(url)).not.toThrow('Secret')
}

const required = { rejectUnauthorized: false, verifyIdentity: false }
const trusted = { rejectUnauthorized: true, verifyIdentity: false }
const identified = { rejectUnauthorized: true, verifyIdentity: true }

describe('MySQL', () => {
  test.each<[string, unknown, boolean?]>([
    ['', undefined],
    ['connect_timeout=3&socketPath=/run/s', undefined],
    // Other parameters do not matter.
    ['charset=latin1&connection_limit=5', undefined],
    ['ssl-mode=DISABLED', undefined],
    ['tls=false', undefined],
    ['ssl-mode=PREFERRED', required, true],
    ['tls=preferred', required, true],
    ['ssl-mode=REQUIRED', required],
    ['sslMode=REQUIRED', required],
    ['ssl_mode=required', required],
    ['sslmode=require', required],
    ['sslaccept=accept_invalid_certs', required],
    ['tls=skip-verify', required],
    ['ssl-mode=VERIFY_CA', trusted],
    ['ssl-mode=VERIFY_IDENTITY', identified],
    ['sslmode=verify-full', identified],
    ['sslaccept=strict', identified],
    ['tls=true', identified],
    ['ssl=true', identified],
    // The strongest one wins.
    ['ssl-mode=VERIFY_CA&ssl-mode=DISABLED', trusted],
    ['sslmode=prefer&sslaccept=strict', identified],
    ['ssl={"rejectUnauthorized":true}', { rejectUnauthorized: true }],
    ['ssl=Amazon RDS', 'Amazon RDS'],
  ])('with %s gets the options %j', (query, ssl, isTlsOptional = false) => {
    expect(mysql(query)).toEqual({ ssl, isTlsOptional })
  })

  test('verifies the certificate with the authority of ssl-ca', async () => {
    const cwd = await folderWith({ 'ca.pem': 'certificate' })
    for (const query of ['ssl-ca=ca.pem', 'ssl-mode=REQUIRED&ssl-ca=ca.pem', `sslca=${join(cwd, 'ca.pem')}`])
      expect(mysql(query, cwd).ssl, query).toEqual({ ...trusted, ca: 'certificate' })
    expect(mysql('sslmode=verify_identity&ssl_ca=ca.pem', cwd).ssl).toEqual({ ...identified, ca: 'certificate' })
    expectRejection('mysql://host/app?ssl-ca=Secret.pem', /^cannot read the file of ssl-ca in --url/)
  })

  test.each([
    ['sslcert=Secret.pem', /^--url has the parameter sslcert, which this command does not support\. Remove it/],
    ['verifyServerCertificate=true', /the parameter verifyServerCertificate/],
    // It may be a part of a password.
    ['tls=true&SecretTls=1', /^--url has parameter 2 after the \?, which/],
    ['ssl-mode=Secret', /^ssl-mode in --url has an unknown value\. Expected disabled, preferred, required, verify-ca,/],
    ['ssl-mode=', /^ssl-mode in --url has an unknown value/],
    ['ssl={"ca":"Secret"}&ssl-mode=REQUIRED', /^--url configures TLS both with ssl and with other parameters/],
  ])('does not accept %s', (query, message) => expectRejection(`mysql://host/app?${query}`, message))
})

// kit/test/unit/commands/drivers.test.ts has what the drivers get.
describe('PostgreSQL', () => {
  test.each(['ssl-mode', 'tls', 'sslaccept', 'sslcrl'])('does not accept %s, which the drivers would ignore', (name) =>
    expectRejection(
      `postgres://host/app?${name}=Secret`,
      new RegExp(`^--url has the parameter ${name}, which PostgreSQL does not support`),
    ),
  )

  test.each([
    ['sslmode=Secret', /^sslmode in --url has an unknown value\. Expected disable,/],
    ['ssl=Secret', /^ssl in --url has an unknown value/],
    ['sslrootcert=Secret.pem', /^cannot read the file of sslrootcert in --url/],
    ['gssencmode=require', /^--url has the parameter gssencmode/],
  ])('does not accept %s', (query, message) => expectRejection(`postgres://host/app?${query}`, message))
})

test.each(['postgres://127.0.0.1/app?sslmode=verify-full', 'mysql://[::1]:3306/app?tls=true', 'mysql://10.0.0.1:1/app?sslaccept=strict'])(
  '%s is rejected, because drivers would compare the certificate with another name',
  (url) => expectRejection(url, /^--url verifies the identity of the server, but has its IP address/),
)
