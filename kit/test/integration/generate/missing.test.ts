import { cp, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { capture } from '../../../../test/support/process.js'
import { root } from '../../../../test/support/root.js'
import { temporaryFolder } from '../../../../test/support/servers/scratch.js'

test('without the kit, the adapter says what to install', async () => {
  const app = temporaryFolder('without-kit-')
  const modules = join(app, 'node_modules')
  await mkdir(modules)
  for (const name of ['dist', 'package.json']) await cp(join(root, name), join(modules, 'drizzle-auth-adapter', name), { recursive: true })
  for (const name of ['drizzle-orm', 'better-auth', '@better-auth', 'better-sqlite3'])
    await symlink(join(root, 'node_modules', name), join(modules, name))
  const script = `import { drizzleAdapter } from 'drizzle-auth-adapter/better-auth'
import { drizzle } from 'drizzle-orm/better-sqlite3'

await drizzleAdapter(drizzle.mock(), { schema: {} })({}).createSchema({}).catch(({ name, message }) => console.log(name + ': ' + message))
`
  await writeFile(join(app, 'generate.mjs'), script)
  const { output } = await capture(process.execPath, ['generate.mjs'], { cwd: app })
  expect(output.trim()).toBe('BetterAuthError: npx auth generate needs drizzle-auth-kit: npm install --save-dev drizzle-auth-kit')
})
