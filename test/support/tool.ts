import { constants } from 'node:os'
import type { ParseArgsConfig } from 'node:util'
import { parseArgs } from 'node:util'

/** Parses the arguments of a command. If they are wrong, the error shows the usage. */
export function parseArguments<const Config extends ParseArgsConfig>(usage: string, config: Config) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new Error(`${(error as Error).message}\nusage: ${usage}`)
  }
}

/** The chosen names, in the order of all names. All of them if none is chosen. */
export function choose<Name extends string>(chosen: string[], all: readonly Name[]): Name[] {
  const unknown = chosen.find((name) => !all.some((known) => known === name))
  if (unknown !== undefined) throw new Error(`unknown name: ${unknown}. Choose from ${all.join(', ')}`)
  return chosen.length > 0 ? all.filter((name) => chosen.includes(name)) : [...all]
}

/** Runs the main function of a command. A signal ends the process in the ordinary way, so that everything that it started is stopped. */
export function runTool(main: () => Promise<unknown>): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(128 + constants.signals[signal]))
  // If the process ends early because nothing is left to wait for, it must not count as a success.
  process.exitCode = 1
  main().then(
    () => process.exit(0),
    (error: Error) => {
      console.error(error.message)
      process.exit(1)
    },
  )
}
