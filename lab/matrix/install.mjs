// node lab/matrix/install.mjs: installs the packages of this folder, unless those of its lockfile are installed already.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('.', import.meta.url))
const mark = join(here, 'node_modules', '.matrix-lock')
const lock = readFileSync(join(here, 'package-lock.json'), 'utf8')

function installed() {
  try {
    return readFileSync(mark, 'utf8')
  } catch {
    return undefined
  }
}

if (installed() !== lock) {
  console.log('installing drivers, servers and runtimes into lab/matrix/node_modules (once, 1.3 GB)')
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']
  const { status } = spawnSync('npm', args, { cwd: here, stdio: 'inherit' })
  if (status !== 0) throw new Error('npm ci failed in lab/matrix')
  writeFileSync(mark, lock)
}
