// npm run examples -- [next|express|hono|worker]... [--keep]
//
// Installs each example with the packed package, as its README describes, starts it, and signs a user in.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { step } from '../test/package/consumer/command.js'
import { pack } from '../test/package/consumer/project.js'
import { limit, run } from './runner/process.js'
import { copyExample } from './runner/project.js'
import { startServer, waitFor } from './runner/server.js'
import { signIn } from './runner/signin.js'

/** The path below which each example serves Auth.js. */
const bases: Record<string, string> = { express: '/auth', hono: '/auth', worker: '/auth', next: '/api/auth' }

const answers = (origin: string) =>
  fetch(origin, { signal: limit(20) }).then(
    () => true,
    () => false,
  )

async function testExample(name: string, base: string, folder: string, tarball: string): Promise<void> {
  await copyExample(name, folder, tarball)
  await step(`${name}: npm install`, () => run(600, folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'))
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  for (const script of ['migrate', 'check', 'build']) {
    if (scripts[script]) await step(`${name}: npm run ${script}`, () => run(300, folder, 'npm', 'run', script))
  }

  const server = await startServer(folder)
  try {
    await step(`${name}: npm start`, () => waitFor(server, 90, () => answers(server.origin)))
    await signIn(name, server, base)
  } catch (error) {
    throw new Error(`${(error as Error).message}\n\nThe server printed:\n${server.output().trim()}`)
  } finally {
    await server.stop()
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { keep: { type: 'boolean' } }, allowPositionals: true })
  const names = positionals.length > 0 ? positionals : Object.keys(bases)
  for (const name of names) if (!(name in bases)) throw new Error(`unknown example: ${name}. Examples are ${Object.keys(bases).join(', ')}`)

  const folder = await mkdtemp(join(tmpdir(), 'auth-examples-'))
  try {
    const tarball = await pack(folder)
    for (const name of names) await testExample(name, bases[name] as string, join(folder, name), tarball)
  } finally {
    if (values.keep) console.log(`kept ${folder}`)
    else await rm(folder, { recursive: true, force: true })
  }
  console.log(`the examples work: ${names.join(', ')}`)
}

main().catch((error: Error) => {
  console.error(error.message)
  process.exitCode = 1
})
