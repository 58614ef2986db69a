import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProjectInlineConfiguration } from 'vitest/config'
import { defineConfig } from 'vitest/config'
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'
import config from '../../vitest.config.js'

// Set by lab/mutants/index.ts. Without patterns, all suitable tests run.
const patterns = `${process.env.MUTANTS_TESTS}`.split(' ').filter(Boolean)

/**
 * Tests with Auth.js, which keeps state in its modules from one mutant to the next. Those of the sources, which StrykerJS has changed, and
 * of the commands, which are not part of a sample, are in folders that are not included.
 */
const unsuitable = ['test/integration/drizzle-1.0/**', 'test/auth/*.test.ts', 'test/auth/recipes/**']

const projects = (config.test?.projects ?? []) as TestProjectInlineConfiguration[]
const project = projects.find(({ test }) => test?.name === 'integration 0.45')

/**
 * A mutant is noticed by its first failing test. What noticed the last one comes first, because the next mutant is often beside it, and
 * then the quickest files. Vitest's own order begins with the slowest, which is right where all of them run.
 */
class QuickestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) => {
      const last = this.ctx.cache.getFileTestResults(`${project.name}:${relative(this.ctx.config.root, moduleId)}`)
      return last?.failed ? -1 : (last?.duration ?? 0)
    }
    const ranked = files.map((file) => ({ file, rank: rank(file) }))
    return ranked.sort((a, b) => a.rank - b.rank).map(({ file }) => file)
  }
}

/** Bundled before the first test, because each mutant loads them again. */
const drivers = ['better-sqlite3', 'postgres-js', 'node-postgres', 'mysql2'].map((name) => `drizzle-orm/${name}`)
const bundled = ['drizzle-orm', ...['pg', 'mysql', 'sqlite'].map((name) => `drizzle-orm/${name}-core`), ...drivers, 'postgres', 'pg']
// These load some of their files only when they need them.
const notBundled = ['better-sqlite3', 'mysql2']

export default defineConfig({
  test: {
    ...config.test,
    sequence: { sequencer: QuickestFirst },
    projects: [
      {
        ...project,
        test: {
          ...project?.test,
          include: patterns.length > 0 ? patterns.map((path) => `test/${path}.test.ts`) : ['test/{unit,integration,auth}/**/*.test.ts'],
          exclude: patterns.length > 0 ? [] : unsuitable,
          runner: fileURLToPath(new URL('./runner.ts', import.meta.url)),
          deps: { optimizer: { ssr: { enabled: true, include: bundled, exclude: notBundled } } },
        },
      },
    ],
  },
})
