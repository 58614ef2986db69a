/** Prints the progress of a run, and counts the checks that passed and failed. */
export class Report {
  passed = 0
  failed = 0
  readonly #start = performance.now()
  #section = ''

  get minutes(): number {
    return (performance.now() - this.#start) / 60_000
  }

  section(title: string): void {
    this.#section = title
    console.log(`\n${title}`)
  }

  say(line: string): void {
    const seconds = Math.round((performance.now() - this.#start) / 1000)
    console.log(`  ${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}  ${line}`)
  }

  /** Reports a check. It fails if there are problems, or if `problems` is false. */
  check(title: string, problems: readonly string[] | boolean): void {
    const found = problems === true ? [] : problems === false ? [title] : problems
    if (found.length === 0) {
      this.passed++
      this.say(`ok      ${title}`)
      return
    }
    this.failed++
    this.say(`FAILED  ${this.#section}: ${title}`)
    for (const problem of found.slice(0, 5)) this.say(`          ${problem}`)
    if (found.length > 5) this.say(`          and ${found.length - 5} more`)
  }
}

/** How often each item occurs, the most frequent first. */
export function tally(items: string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** Each distinct problem once, with its number of occurrences. */
export const counted = (problems: string[]) => tally(problems).map(([problem, count]) => `${count} × ${problem}`)
