/** The state of a row as text, or `null` if there is no row. */
export type State = string | null

/** The rows that the database must have, according to the answers that callers got. */
export class Ledger {
  readonly #states = new Map<string, State[]>()

  /** The write was acknowledged: the row must have this state. */
  settle(row: string, state: State): void {
    this.#states.set(row, [state])
  }

  /** The row may have this state: the write failed, or several callers wrote the row at the same time. */
  doubt(row: string, state: State): void {
    const states = this.#states.get(row) ?? [null]
    if (!states.includes(state)) this.#states.set(row, [...states, state])
  }

  get rows(): number {
    return this.#states.size
  }

  /** The differences between the rows of a database and those of the ledger. */
  differences(actual: ReadonlyMap<string, string>): string[] {
    const unknown = [...actual.keys()].filter((row) => !this.#states.has(row)).map((row) => `${row} was never written`)
    const wrong = [...this.#states].flatMap(([row, states]) => {
      const state = actual.get(row) ?? null
      return states.includes(state)
        ? []
        : [`${row} is ${state ?? 'missing'}, must be ${states.map((one) => one ?? 'missing').join(' or ')}`]
    })
    return [...wrong, ...unknown]
  }
}
