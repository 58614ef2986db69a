import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from '../../support/root.js'

/** Creates a folder with these files, which the caller must remove. */
export async function createFolder(files: Record<string, string>): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'auth-cli-')))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

/** Creates a folder with these files, which is removed at the end of the test. */
export async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await createFolder(files)
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Installs packages of this project in a folder. */
export async function install(folder: string, ...names: string[]): Promise<void> {
  await mkdir(join(folder, 'node_modules'), { recursive: true })
  for (const name of names) await symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name))
}

/** What a call throws, or what its promise is rejected with. */
export async function failureOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return 'nothing'
}
