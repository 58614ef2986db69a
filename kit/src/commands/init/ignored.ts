import { execFile } from 'node:child_process'
import { readText } from './project.js'

/** Whether git ignores a file of the folder. Without a repository, its .gitignore decides. */
export async function isIgnored(cwd: string, path: string): Promise<boolean> {
  const code = await new Promise<unknown>((resolve) => {
    execFile('git', ['check-ignore', '--quiet', path], { cwd }, (error) => resolve(error ? error.code : 0))
  })
  if (code === 0 || code === 1) return code === 0
  let found = false
  // The last line that matches counts, and `!` takes a file out again.
  for (const line of ((await readText(cwd, '.gitignore')) ?? '').split(/\r?\n/)) {
    const [, not, pattern = ''] = /^(!?)(?:\*\*)?\/?(.*?)\s*$/.exec(line) ?? []
    if (matches(pattern, path)) found = not === ''
  }
  return found
}

const matches = (pattern: string, path: string) =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll(/\*+/g, '.*')
      .replaceAll('?', '.')}$`,
  ).test(path)
