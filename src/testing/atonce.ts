import type { Needed, Needs } from './case.js'
import { casesAbout } from './case.js'
import type { Subject } from './subject.js'

const contractCase = casesAbout('races')

type AtOnce<N extends Needs> = <T>(count: number, call: (adapter: Subject<Needed<N>>, index: number) => Promise<T>) => Promise<T[]>

/** A case that makes many calls at once, in turn through both adapters where there are two. None of the calls may throw. */
export const raceCase = <const N extends Needs>(
  name: string,
  needs: N,
  run: (adapter: Subject<Needed<N>>, atOnce: AtOnce<N>, peer: Subject<Needed<N>>) => Promise<void>,
) =>
  contractCase(name, needs, (adapter, { peer }) => {
    const atOnce: AtOnce<N> = (count, call) =>
      allEnded(Array.from({ length: count }, (_, index) => call(index % 2 ? peer : adapter, index)))
    return run(adapter, atOnce, peer)
  })

/** What the calls give. If one fails, the others still end before the case does. */
export async function allEnded<T>(calls: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(calls)
  return Promise.all(calls)
}

/** How often a race is run, so that it shows. */
export const rounds = [1, 2, 3, 4]

/** Calls that go on while the case does something else. What they throw is thrown where they are awaited. */
export function underWay<T>(calls: readonly (PromiseLike<T> | T)[]): Promise<T[]> {
  const all = Promise.all(calls)
  all.catch(() => {})
  return all
}

export const wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds))

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await undefined
}

/**
 * Begins the second of two calls, from one round to the next a little later, so that they cross at every step.
 * The first of them begins it in the same turn.
 */
export const crossing: readonly (<T>(call: () => PromiseLike<T> | T) => Promise<T>)[] = [
  async (call) => call(),
  (call) => turns(40).then(call),
  (call) => wait(0).then(call),
  (call) => wait(2).then(call),
]
