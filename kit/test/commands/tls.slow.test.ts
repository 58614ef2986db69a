import { execFile } from 'node:child_process'
import { appendFile, chmod, chown, copyFile, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import mysql from 'mysql2/promise'
import postgres from 'postgres'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { startMysql } from '../../../test/support/servers/mysql.js'
import { startPostgres } from '../../../test/support/servers/postgres.js'
import type { PrivateServer } from '../../../test/support/servers/server.js'
import { installedApp, run, start } from './app.js'
import { openStore } from './store.js'

const openssl = (folder: string, ...args: string[]) => promisify(execFile)('openssl', args, { cwd: folder })

/** A certificate for db.example.com, its key, and the certificate of its authority. */
async function newCertificate(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'auth-tls-'))
  const newKey = ['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await openssl(folder, ...newKey, '-x509', '-subj', '/CN=Authority', '-keyout', 'ca-key.pem', '-out', 'ca.pem')
  await openssl(folder, ...newKey, '-subj', '/CN=db.example.com', '-keyout', 'key.pem', '-out', 'request.pem')
  await writeFile(join(folder, 'names'), 'subjectAltName=DNS:db.example.com')
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', 'names']
  await openssl(folder, 'x509', '-req', '-in', 'request.pem', ...signing, '-out', 'cert.pem')
  // The server may run as another user.
  await chmod(folder, 0o755)
  await chmod(join(folder, 'key.pem'), 0o644)
  return folder
}

let certificates: string
beforeAll(async () => {
  certificates = await newCertificate()
  return () => rm(certificates, { recursive: true })
})

const noLog = () => {}
// No table is there, so a command that has connected says so.
const connected = { code: 2, stderr: expect.stringContaining('the database has no tables of Auth.js or Better Auth') }

describe.runIf(inject('dialects').includes('mysql'))('a MySQL server with TLS', () => {
  let server: PrivateServer
  let url: string
  beforeAll(async () => {
    const files = ['cert', 'key'].map((name) => `--ssl-${name}=${join(certificates, `${name}.pem`)}`)
    server = (await startMysql(noLog, undefined, [...files, '--require-secure-transport=on'])) as PrivateServer
    url = server.url.replace('127.0.0.1', 'localhost')
    const client = await mysql.createConnection({ uri: url, ssl: { rejectUnauthorized: false } })
    await client.query('create database `my app`')
    await client.end()
    return server.stop
  })

  const sweep = (query: string) => run(['sweep', '--dry-run', '--url', `${url}/my%20app${query}`])

  // kit/test/unit/commands/tls.test.ts has the other spellings.
  test.each(['ssl-mode=PREFERRED', 'ssl-mode=REQUIRED', 'ssl={"rejectUnauthorized":false}'])('is reached with %s', async (query) => {
    expect(await sweep(`?${query}`)).toMatchObject(connected)
  })

  test.each(['ssl-mode=VERIFY_CA', 'ssl-mode=VERIFY_IDENTITY', 'ssl={}'])('is not trusted with %s', async (query) => {
    expect(await sweep(`?${query}`)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/certificate of the server in .* is not trusted.*NODE_EXTRA_CA/),
    })
  })

  test('is trusted with its authority, and has another name', async () => {
    const ca = `?ssl-ca=${join(certificates, 'ca.pem')}`
    for (const query of ['', '&ssl-mode=REQUIRED', '&ssl-mode=VERIFY_CA']) expect(await sweep(ca + query)).toMatchObject(connected)
    expect(await sweep(`${ca}&ssl-mode=VERIFY_IDENTITY`)).toMatchObject({ code: 1, stderr: expect.stringContaining('for another host') })
  })

  test('says that it requires TLS', async () => {
    for (const query of ['', '?ssl-mode=DISABLED'])
      expect(await sweep(query)).toMatchObject({ code: 1, stderr: expect.stringMatching(/server requires TLS.*add \?ssl-mode=REQUIRED/i) })
  })
})

// MySQL creates certificates for itself.
describe.runIf(inject('dialects').includes('mysql') && process.env.MYSQL_SERVER !== 'mysql')('a MySQL server without TLS', () => {
  test('is reached only if the URL does not require it', async () => {
    const { url } = await openStore('mysql')
    const sweep = (query: string) => run(['sweep', '--dry-run', '--url', url + query])
    for (const query of ['', '?ssl-mode=DISABLED', '?ssl-mode=PREFERRED']) expect(await sweep(query)).toMatchObject({ code: 0 })
    expect(await sweep('?ssl-mode=REQUIRED')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the server does not support TLS, which --url requires'),
    })
  })
})

describe.runIf(inject('dialects').includes('pg'))('a PostgreSQL server with TLS', () => {
  let server: PrivateServer
  beforeAll(async () => {
    server = (await startPostgres(noLog)) as PrivateServer
    const { uid, gid } = await stat(server.data)
    for (const name of ['cert.pem', 'key.pem']) {
      const path = join(server.data, name)
      await copyFile(join(certificates, name), path)
      await chown(path, uid, gid)
      await chmod(path, 0o600)
    }
    const options = `ssl = on\nssl_cert_file = 'cert.pem'\nssl_key_file = 'key.pem'\n`
    await appendFile(join(server.data, 'postgresql.conf'), options)
    await writeFile(join(server.data, 'pg_hba.conf'), 'hostssl all all all trust\n')
    await server.restart()
    const client = postgres(server.url, { ssl: 'require', max: 1 })
    await client.unsafe('create database "my app"')
    await client.end()
    return server.stop
  })

  let app: Promise<string> | undefined
  const drivers = {
    'postgres.js': (...args: string[]) => run(['sweep', '--dry-run', ...args]),
    'node-postgres': async (...args: string[]) => {
      app ??= installedApp({ without: ['postgres'] })
      return start(await app, ['sweep', '--dry-run', ...args]).ended
    },
  }
  test.each(Object.entries(drivers))('is reached with %s as the URL asks', async (name, sweep) => {
    const url = (query: string) => `${server.url.replace('127.0.0.1', 'localhost').replace(/postgres$/, 'my%20app')}?${query}`
    expect(await sweep('--url', url('sslmode=disable'))).toMatchObject({ code: 1, stderr: expect.not.stringContaining('no tables') })
    expect(await sweep('--url', url(name === 'postgres.js' ? 'sslmode=require' : 'sslmode=no-verify'))).toMatchObject(connected)
    const ca = `sslrootcert=${join(certificates, 'ca.pem')}`
    for (const query of [
      'uselibpqcompat=true&sslmode=require',
      `uselibpqcompat=true&sslmode=verify-ca&${ca}`,
      `uselibpqcompat=true&sslmode=require&${ca}`,
    ])
      expect(await sweep('--url', url(`${query}&channel_binding=require`)), query).toMatchObject(connected)
    const untrusted = [
      'sslmode=verify-ca',
      'sslmode=verify-full',
      'ssl=true',
      'uselibpqcompat=true&sslmode=verify-ca',
      'sslrootcert=system',
    ]
    // The certificate is for another host.
    for (const query of [...untrusted, `sslmode=verify-full&${ca}`, ca])
      expect(await sweep('--url', url(query)), query).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('is not trusted, or is for another host'),
      })
  })
})
