import { parseArgs } from 'node:util'
import type { DatabaseName } from './databases.js'
import { databaseNames } from './databases.js'

export const phaseNames = ['operations', 'concurrency', 'growth', 'memory', 'secrets'] as const

type PhaseName = (typeof phaseNames)[number]

export interface Options {
  /** Only check the ratios that have a limit, and fail if one is above it. */
  check: boolean
  /** Make only a few calls, to test the benchmark itself. The numbers are meaningless. */
  quick: boolean
  databases: DatabaseName[]
  phases: PhaseName[]
}

export const usage = `usage: npm run bench -- [--check] [--quick] [--dialects ${databaseNames.join(',')}] [--only ${phaseNames.join(',')}]`

/** Parses the command line. Throws if it is invalid. */
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
    databases: parseNames('--dialects', values.dialects, databaseNames),
    phases: parseNames('--only', values.only, phaseNames),
  }
}

function parseNames<Name extends string>(option: string, value: string, all: readonly Name[]): Name[] {
  const names = value.split(',')
  const unknown = names.find((name) => !all.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`${option} must name some of ${all.join(', ')}, not '${unknown}'`)
  return all.filter((name) => names.includes(name))
}
