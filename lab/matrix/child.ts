import type { Open } from './setting.js'
import type { Tables, Task } from './suite.js'
import { runSuite } from './suite.js'

/** Runs a cell in this process, on Node.js, Bun or Deno. Its task is in the environment, and its outcome goes to standard output. */
export async function runInProcess(open: Open, tables: Tables): Promise<never> {
  const task = JSON.parse(process.env.MATRIX_TASK ?? '') as Task
  const outcome = await runSuite({ ...task, runtime: runtimeName() }, open, tables, {})
  await new Promise<void>((resolve) => process.stdout.write(`\n${JSON.stringify(outcome)}\n`, () => resolve()))
  process.exit()
}

function runtimeName(): string {
  const { bun, deno, node } = process.versions
  return bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node.js ${node}`
}
