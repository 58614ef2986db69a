import { existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'

// The largest databases of the release tests have ten million rows.
const room = 8 * 2 ** 30

/**
 * Where tests keep their databases: in memory where there is room, because nothing in them needs to survive. PostgreSQL creates a database
 * there in a quarter of the time. `TMPDIR` chooses another folder.
 */
export function scratchFolder(): string {
  if (process.env.TMPDIR || !existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > room ? memory : tmpdir()
}

/** A new folder, which is removed when this process exits. */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}
