import { configError } from './query/errors.js'

/** Throws if the options are not an object, or have a property with another name than these. */
export function checkOptions(caller: string, what: string, options: unknown, names: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) configError(`${caller}: ${what} must be an object`)
  const unknown = Object.keys(options as object).find((name) => !names.includes(name))
  if (unknown !== undefined) configError(`${caller}: ${what}.${unknown} is unknown. There are ${names.join(', ')}`)
}
