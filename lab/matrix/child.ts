import { openProxy } from '../../test/support/proxy.js'
import type { Open } from './setting.js'
import type { Tables, Task } from './suite.js'
import { runSuite } from './suite.js'

/** Runs a cell in this process, on Node.js, Bun or Deno. Its task is in the environment, and its outcome goes to standard output. */
export async function runInProcess(open: Open, tables: Tables): Promise<never> {
  const { throughProxy, ...task } = JSON.parse(process.env.MATRIX_TASK ?? '') as Task & { throughProxy: boolean }
  const proxy = throughProxy ? await openProxy(task.url) : undefined
  const outcome = await runSuite({ ...task, runtime: runtimeName() }, open, tables, {}, proxy)
  await proxy?.close()
  await new Promise<void>((resolve) => process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () => resolve()))
  process.exit()
}

function runtimeName(): string {
  const { bun, deno, node } = process.versions
  return bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node.js ${node}`
}
