import { progress } from '../../test/support/progress.js'
import { tally } from '../../test/support/table.js'

/** Prints the progress of a run, and counts the checks that passed and failed. */
export class Report {
  passed = 0
  failed = 0
  #section = ''

  section(title: string): void {
    this.#section = title
    console.log(`\n${title}`)
  }

  say = progress

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

/** Each distinct problem once, with its number of occurrences. */
export const counted = (problems: string[]) => tally(problems).map(([problem, count]) => `${count} × ${problem}`)
