import { relative } from 'node:path'
import { defineConfig } from 'vitest/config'
import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'
import config from '../../vitest.config.js'

const all = config.test?.projects ?? []

/** The projects that are run against mutants: those that run in Vitest's own process, with one version of Drizzle. */
const names = ['drizzle 0.45', 'drizzle 0.45, Auth.js', 'once']

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
    const ranked = files.map((file) => ({ file, place: names.indexOf(file.project.name), rank: rank(file) }))
    return ranked.sort((a, b) => a.place - b.place || a.rank - b.rank).map(({ file }) => file)
  }
}

export default defineConfig({
  test: {
    ...config.test,
    sequence: { sequencer: QuickestFirst },
    projects: all.filter((project) => typeof project === 'object' && 'test' in project && names.includes(`${project.test?.name}`)),
  },
})
