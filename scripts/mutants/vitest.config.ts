import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.js'

const all = config.test?.projects ?? []

/** What looks for mutants: the tests that run in process, with one Drizzle. */
const names = ['drizzle 0.45', 'drizzle 0.45, Auth.js', 'once']

export default defineConfig({
  test: {
    ...config.test,
    projects: all.filter((project) => typeof project === 'object' && 'test' in project && names.includes(`${project.test?.name}`)),
  },
})
