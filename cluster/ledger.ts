/** A row as text; `null` stands for no row. */
export type State = string | null

/** What the database must hold, by what its callers were told. */
export class Ledger {
  readonly #states = new Map<string, State[]>()

  /** The caller was told that the row is so now. */
  settle(row: string, state: State): void {
    this.#states.set(row, [state])
  }

  /** The row may be so: its caller got an error, or was one of many who wrote it at the same time. */
  doubt(row: string, state: State): void {
    const states = this.#states.get(row) ?? [null]
    if (!states.includes(state)) this.#states.set(row, [...states, state])
  }

  get rows(): number {
    return this.#states.size
  }

  /** Where the rows of a database are not what they must be. */
  differences(actual: ReadonlyMap<string, string>): string[] {
    const unknown = [...actual.keys()].filter((row) => !this.#states.has(row)).map((row) => `${row} was written by nobody`)
    const wrong = [...this.#states].flatMap(([row, states]) => {
      const state = actual.get(row) ?? null
      return states.includes(state) ? [] : [`${row} is ${state ?? 'not there'}, must be ${states.map((one) => one ?? 'gone').join(' or ')}`]
    })
    return [...wrong, ...unknown]
  }
}
