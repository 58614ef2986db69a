/** What is told of a run as it goes on: facts, and checks that decide whether it passes. */
export class Report {
  passed = 0
  failed = 0
  readonly #start = performance.now()
  #title = ''

  get minutes(): number {
    return (performance.now() - this.#start) / 60_000
  }

  section(title: string): void {
    this.#title = title
    console.log(`\n${title}`)
  }

  say(line: string): void {
    const seconds = Math.round((performance.now() - this.#start) / 1000)
    console.log(`  ${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}  ${line}`)
  }

  /** Something that must be so; the problems say where it is not. */
  check(what: string, problems: readonly string[] | boolean): void {
    const found = problems === true ? [] : problems === false ? [what] : problems
    if (found.length === 0) {
      this.passed++
      this.say(`ok      ${what}`)
      return
    }
    this.failed++
    this.say(`FAILED  ${this.#title}: ${what}`)
    for (const problem of found.slice(0, 5)) this.say(`          ${problem}`)
    if (found.length > 5) this.say(`          and ${found.length - 5} more`)
  }
}

/** How often each of these occurs, the most frequent first. */
export function tally(items: string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}

/** The same problems once, with their number. */
export const counted = (problems: string[]) => tally(problems).map(([problem, count]) => `${count} × ${problem}`)
