import { parseArgs } from 'node:util'
import type { DatabaseName } from './databases.js'
import { databaseNames } from './databases.js'

export const phaseNames = ['operations', 'concurrency', 'growth', 'memory', 'secrets'] as const

type PhaseName = (typeof phaseNames)[number]

export interface Options {
  /** Only the ratios that must hold; failing where one does not. */
  check: boolean
  /** Few calls, to try the benchmark itself; its numbers mean nothing. */
  quick: boolean
  databases: DatabaseName[]
  phases: PhaseName[]
}

export const usage = `usage: npm run bench -- [--check] [--quick] [--dialects ${databaseNames.join(',')}] [--only ${phaseNames.join(',')}]`

/** Reads the command line; throws where it cannot be understood. */
export function parseOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      check: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      dialects: { type: 'string', default: databaseNames.join() },
      only: { type: 'string', default: phaseNames.join() },
    },
  })
  return {
    check: values.check,
    quick: values.quick,
    databases: some('--dialects', values.dialects, databaseNames),
    phases: some('--only', values.only, phaseNames),
  }
}

function some<Name extends string>(option: string, value: string, all: readonly Name[]): Name[] {
  const names = value.split(',')
  const unknown = names.find((name) => !all.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`${option} must name some of ${all.join(', ')}, not '${unknown}'`)
  return all.filter((name) => names.includes(name))
}
