import type { RunnerTask, RunnerTestSuite } from 'vitest'
import { VitestTestRunner } from 'vitest/runners'

/** Loads no further test file after a test has failed. Vitest runs no further test then, but would still import every file. */
export default class UntilFirstFailure extends VitestTestRunner {
  #failed = false

  override onAfterRunTask(test: RunnerTask): void {
    this.#failed ||= test.result?.state === 'fail'
    super.onAfterRunTask(test)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#failed ||= suite.result?.state === 'fail'
    await super.onAfterRunSuite(suite)
  }

  override importFile(path: string, source: 'collect' | 'setup'): unknown {
    return this.#failed && source === 'collect' ? undefined : super.importFile(path, source)
  }
}
