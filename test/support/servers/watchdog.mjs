// Owns one temporary folder and every process started for it. It ends them and removes the folder when its channel to
// the parent closes, which a clean stop and a killed parent have in common. It sends signals only to its own children that
// it has not yet reaped, so their process ids cannot belong to another program.
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const killTimeout = 10_000
const folder = mkdtempSync(process.argv[2])
const running = new Map()
let stopping = false

function run({ command, args, account, log, signal = 'SIGKILL' }, id) {
  const output = openSync(join(folder, log), 'a')
  const child = spawn(command, args, {
    ...account,
    cwd: folder,
    env: { ...process.env, TMPDIR: folder },
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const ended = new Promise((resolve) => {
    child.once('error', (error) => resolve({ reason: error.message }))
    child.once('exit', (code, killer) => resolve(code === 0 ? {} : { reason: killer ?? `exit code ${code}` }))
  })
  running.set(child, { id, signal, ended })
  return ended.finally(() => running.delete(child))
}

function kill(child, signal) {
  try {
    if (child.pid) process.kill(-child.pid, signal)
  } catch {}
}

async function end([child, { signal, ended }]) {
  kill(child, signal)
  const timer = setTimeout(kill, killTimeout, child, 'SIGKILL')
  await ended
  clearTimeout(timer)
}

async function stop() {
  if (stopping) return
  stopping = true
  await Promise.all([...running].map(end))
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  process.exit()
}

function report(message) {
  if (process.connected) process.send(message, () => {})
}

process.on('message', async ({ id, program, signal }) => {
  if (stopping) return
  if (signal) {
    for (const [child, own] of running) if (own.id === id) kill(child, signal)
    return
  }
  report({ id, ended: await run(program, id) })
})
process.on('disconnect', stop)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)

// If the parent died before the listener for 'disconnect' was added, nothing would call it.
if (process.connected) report({ folder })
else stop()
