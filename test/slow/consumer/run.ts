// npm run test:consumer
//
// A new project installs the packed packages, as a user would, and signs a user in with it on every dialect.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { withDatabase } from '../../support/connections.js'
import type { DialectName } from '../../support/dialects.js'
import { chosenDialects } from '../../support/dialects.js'
import { capture, run, step } from '../../support/process.js'
import type { Servers } from '../../support/servers/index.js'
import { startServers } from '../../support/servers/index.js'
import { temporaryFolder } from '../../support/servers/scratch.js'
import { runTool } from '../../support/tool.js'
import { install, pack } from './project.js'

// The newest release of each major version of Drizzle that the package supports.
const newest = ['0.45.4', '1.0.0-rc.5']
const kitNames: Record<DialectName, string> = { pg: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' }
const compiler = ['--no-install', 'tsc', '--pretty', 'false']

const commandStep = (name: string, cwd: string, command: string, ...args: string[]) => step(name, () => run(command, args, { cwd }))

/** Checks the types that a consumer sees. The first command also compiles the app to JavaScript. */
async function checkTypes(folder: string, title: string): Promise<void> {
  await commandStep(`${title}: types, moduleResolution nodenext`, folder, 'npx', ...compiler)
  const bundler = ['--noEmit', '--module', 'esnext', '--moduleResolution', 'bundler']
  await commandStep(`${title}: types, moduleResolution bundler`, folder, 'npx', ...compiler, ...bundler)

  // With skipLibCheck, an error in a declaration file silently becomes `any`. Errors in Drizzle's own files are ignored.
  await step(`${title}: no error in the package's declarations`, async () => {
    const { output } = await capture('npx', [...compiler, '--noEmit', '--skipLibCheck', 'false'], { cwd: folder })
    const errors = output.split('\n').filter((line) => line.startsWith('node_modules/drizzle-auth-'))
    if (errors.length > 0) throw new Error(errors.join('\n'))
  })
}

async function signIn(folder: string, title: string, dialect: DialectName, urls: Servers['urls']): Promise<void> {
  const out = join('migrations', dialect)
  const generate = [
    '--no-install',
    'drizzle-kit',
    'generate',
    `--dialect=${kitNames[dialect]}`,
    `--schema=${dialect}/schema.ts`,
    `--out=${out}`,
  ]
  await commandStep(`${title}: generate a migration`, folder, 'npx', ...generate)
  await step(`${title}: generate again, and nothing has changed`, async () => {
    const before = await readdir(join(folder, out))
    const { code, output } = await capture('npx', generate, { cwd: folder })
    const after = await readdir(join(folder, out))
    if (code !== 0 || before.length === 0 || before.join() !== after.join()) throw new Error(output)
  })
  const steps = await withDatabase(dialect, urls, async (url) => {
    const steps = await commandStep(`${title}: migrate, sign in, sign out`, folder, 'node', join('out', 'signin.js'), dialect, url, out)
    const sweep = ['--no-install', 'drizzle-auth-kit', 'sweep']
    await commandStep(`${title}: sweep --help`, folder, 'npx', ...sweep, '--help')
    return steps + (await commandStep(`${title}: sweep`, folder, 'npx', ...sweep, '--url', url))
  })
  for (const line of steps.trim().split('\n')) console.log(`      ${line}`)
}

async function checkAll(folder: string, versions: string[], dialects: DialectName[]): Promise<void> {
  const tarballs = [await pack(folder), await pack(folder, 'kit')]
  const names = dialects.filter((name) => name !== 'sqlite')
  const servers = await step(`servers: ${names.join(', ') || 'none needed'}`, () => startServers(names))
  try {
    for (const drizzle of versions) {
      const project = join(folder, `drizzle-${drizzle}`)
      await install(project, tarballs, drizzle)
      await checkTypes(project, `drizzle ${drizzle}`)
      for (const dialect of dialects) await signIn(project, `drizzle ${drizzle}, ${dialect}`, dialect, servers.urls)
    }
  } finally {
    await servers.stop()
  }
}

runTool(async () => {
  await checkAll(temporaryFolder('auth-consumer-'), newest, chosenDialects())
  console.log('the consumer projects work')
})
