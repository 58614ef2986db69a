// Owns one temporary folder and every process started for it. It ends them and removes the folder when its channel to
// the parent closes: a clean stop and a killed parent look the same from here. Signals go to own, unreaped children
// only, so never to a process id that has been given to somebody else.
import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const patience = 10_000
const folder = mkdtempSync(process.argv[2])
const running = new Map()
const farewells = []
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
  const timer = setTimeout(kill, patience, child, 'SIGKILL')
  await ended
  clearTimeout(timer)
}

async function stop() {
  if (stopping) return
  stopping = true
  await Promise.all([...running].map(end))
  for (const program of farewells) await run(program)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  process.exit()
}

function tell(message) {
  if (process.connected) process.send(message, () => {})
}

process.on('message', async ({ id, program, farewell, signal }) => {
  if (stopping) return
  if (signal) {
    for (const [child, own] of running) if (own.id === id) kill(child, signal)
    return
  }
  if (farewell) farewells.push(program)
  tell({ id, ended: farewell ? {} : await run(program, id) })
})
process.on('disconnect', stop)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)

// The parent may have died before there was anybody to hear of it.
if (process.connected) tell({ folder })
else stop()
