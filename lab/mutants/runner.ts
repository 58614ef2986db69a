import type { RunnerTask, RunnerTestSuite } from 'vitest'
import { test } from 'vitest'
import { VitestTestRunner } from 'vitest/runners'

/**
 * Runs nothing after the first failure, as one is enough to notice a mutant. Vitest's own `bail` imports the other files all the same, and at
 * times loses the failure, because it stops the worker that reports it.
 */
export default class UntilFirstFailure extends VitestTestRunner {
  #failed = false

  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    if (this.#failed) suite.mode = 'skip'
    await super.onBeforeRunSuite(suite)
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    if (this.#failed) test.mode = 'skip'
    await super.onBeforeRunTask(test)
  }

  override onAfterRunTask(test: RunnerTask): void {
    this.#failed ||= test.result?.state === 'fail'
    super.onAfterRunTask(test)
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    this.#failed ||= suite.result?.state === 'fail'
    await super.onAfterRunSuite(suite)
  }

  /** A file that cannot be imported has no tests, and StrykerJS looks at nothing else. So it gets one that fails. */
  override async importFile(path: string, source: 'collect' | 'setup'): Promise<unknown> {
    if (source === 'setup') return super.importFile(path, source)
    if (this.#failed) return undefined
    try {
      return await super.importFile(path, source)
    } catch (error) {
      // Which names the tests that reach the mutant.
      this.config.testNamePattern = undefined
      return test('the file can be imported', () => Promise.reject(error))
    }
  }
}
