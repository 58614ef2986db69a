import { constants } from 'node:fs'
import { access, readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { capture } from '../process.js'

export interface Account {
  uid: number
  gid: number
}

export const isRoot = process.getuid?.() === 0

/** The user and group ids of a system account, for programs that must not run as root. Returns undefined unless this process is root. */
export async function findAccount(name: string): Promise<Account | undefined> {
  if (!isRoot) return undefined
  const [uid, gid] = await Promise.all([capture('id', ['-u', name]), capture('id', ['-g', name])])
  return uid.code === 0 && gid.code === 0 ? { uid: Number(uid.output), gid: Number(gid.output) } : undefined
}

/** Expands a path in which at most one part contains a star. The highest version comes first. */
async function expand(pattern: string): Promise<string[]> {
  const parts = pattern.split('/')
  const star = parts.findIndex((part) => part.includes('*'))
  if (star < 0) return [pattern]
  const parent = parts.slice(0, star).join('/')
  const [start = '', end = ''] = (parts[star] ?? '').split('*')
  const names = await readdir(parent).catch(() => [])
  return names
    .filter((name) => name.startsWith(start) && name.endsWith(end))
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => join(parent, name, ...parts.slice(star + 1)))
}

async function isProgram(path: string) {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** Folders that contain all the named programs: first those of PATH, then those that match the patterns. */
export async function findFolders(programs: string[], patterns: string[]): Promise<string[]> {
  const path = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const folders = [...path, ...(await Promise.all(patterns.map(expand))).flat()]
  const found = await Promise.all(
    folders.map(async (folder) => (await Promise.all(programs.map((name) => isProgram(join(folder, name))))).every(Boolean)),
  )
  return folders.filter((_, index) => found[index])
}
