import type { checkDefinition as check } from './checks.js'

type Given = Parameters<typeof check>

/** For bundles that are made for no server: their schema file was read by drizzle-kit, and checked there. */
export function checkDefinition(_dialect: Given[0], _options: Given[1]): void {}
