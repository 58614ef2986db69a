import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

/**
 * Lets StrykerJS test only this number of its mutants. It has no option for that, so its list of mutants is changed. The choice is random,
 * and depends only on the seed and the mutants themselves: a mutant of a file that has not changed stays in the sample.
 */
export function sampleMutants(count: number, seed: number): void {
  const instrument = Instrumenter.prototype.instrument
  Instrumenter.prototype.instrument = async function (...args) {
    const result = await instrument.apply(this, args)
    const rankOf = ({ fileName, location, mutatorName, replacement }: (typeof result.mutants)[number]) => {
      const mutant = [seed, relative('', fileName), location, mutatorName, replacement]
      return createHash('sha256').update(JSON.stringify(mutant)).digest('hex')
    }
    const ranked = result.mutants.filter(({ status }) => status === undefined).sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
    for (const mutant of ranked.slice(count)) Object.assign(mutant, { status: 'Ignored', statusReason: 'not in the sample' })
    console.log(`${Math.min(count, ranked.length)} of ${ranked.length} mutants are tested`)
    return result
  }
}
