// npm run test:examples -- [express|hono|node|worker|next|sveltekit|better-auth]...
//
// Installs each example with the packed package, as its README describes, starts it, and signs a user in.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pack } from '../test/slow/consumer/project.js'
import { run, step } from '../test/support/process.js'
import { temporaryFolder } from '../test/support/servers/scratch.js'
import { choose, parseArguments, runTool } from '../test/support/tool.js'
import { testBetterAuth } from './runner/better-auth.js'
import { copyExample } from './runner/project.js'
import { withServer } from './runner/server.js'
import { signIn } from './runner/signin.js'

/**
 * The path below which each example serves Auth.js, and how it refuses a request target that is not a path. Wrangler and Next.js refuse
 * some of them before the example sees them; Next.js redirects to a path of the app.
 */
const apps = {
  express: { base: '/auth', refusals: [400] },
  hono: { base: '/auth', refusals: [400] },
  node: { base: '/auth', refusals: [400] },
  worker: { base: '/auth', refusals: [400, 500] },
  next: { base: '/api/auth', refusals: [308, 500] },
  sveltekit: { base: '/auth', refusals: [400, 404, 500] },
}
type AuthJs = keyof typeof apps
const names = [...(Object.keys(apps) as AuthJs[]), 'better-auth'] as const

async function testExample(name: AuthJs | 'better-auth', folder: string, tarball: string, kit: string): Promise<void> {
  await copyExample(name, folder, tarball, kit)
  const npm = (...args: string[]) => step(`${name}: npm ${args.slice(0, 2).join(' ')}`, () => run('npm', args, { cwd: folder }))
  await npm('install', '--no-audit', '--no-fund', '--prefer-offline')
  const { scripts } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  for (const script of ['migrate', 'check', 'build']) if (scripts[script]) await npm('run', script)
  if (name === 'better-auth') return testBetterAuth(folder)
  await withServer(
    folder,
    () => ['npm', 'start'],
    (server) => signIn(name, server, apps[name].base, apps[name].refusals),
  )
}

runTool(async () => {
  const { positionals } = parseArguments(`npm run test:examples -- [${names.join('|')}]...`, { allowPositionals: true })
  const chosen = choose(positionals, names)
  const folder = temporaryFolder('auth-examples-')
  const tarball = await pack(folder)
  const kit = await pack(folder, 'kit')
  for (const name of chosen) await testExample(name, join(folder, name), tarball, kit)
  console.log(`the examples work: ${chosen.join(', ')}`)
})
