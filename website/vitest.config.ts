import { defineConfig } from 'vitest/config'

/** The tests of the built site. They need no database. */
export default defineConfig({
  test: { dir: import.meta.dirname, include: ['test/*.test.ts'], testTimeout: 120_000, hookTimeout: 120_000 },
})
