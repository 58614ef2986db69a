// Runs a bundled Worker in workerd, sends it its task, and prints its answer.
import { Miniflare } from 'miniflare'

const { MATRIX_WORKER, MATRIX_TASK } = process.env
const miniflare = new Miniflare({
  // As Wrangler passes its bundle. Miniflare would refuse imports with a variable name, which no Worker calls.
  modules: [{ type: 'ESModule', path: MATRIX_WORKER }],
  compatibilityDate: '2026-04-01',
  compatibilityFlags: ['nodejs_compat'],
  // Named as the suite names its database.
  d1Databases: ['database'],
  durableObjects: { suite: { className: 'Suite', useSQLite: true } },
})
const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body: MATRIX_TASK })
const text = await response.text()
await miniflare.dispose()
if (!response.ok) {
  console.error(text)
  process.exitCode = 1
} else console.log(`\n${text}`)
