import { existsSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

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
