/** Shows how far the work on something is. */
export interface Progress {
  show(what: string, done: number): void
  /** Leaves what was shown last. */
  end(): void
}

const width = 24
const number = (value: number) => value.toLocaleString('en')

/** A bar for each thing, redrawn in place. */
export function bars(stream: NodeJS.WriteStream, totals: Record<string, number>): Progress {
  let shown: string | undefined
  return {
    show(what, done) {
      if (shown !== undefined && shown !== what) stream.write('\n')
      shown = what
      // Others may be at work, too, and rows may expire meanwhile.
      const total = Math.max(totals[what] ?? 0, done)
      const part = total === 0 ? 1 : done / total
      const full = Math.round(part * width)
      const bar = '█'.repeat(full) + '░'.repeat(width - full)
      stream.write(`\r${what.padEnd(20)}${bar}${`${Math.floor(part * 100)} %`.padStart(6)}  ${number(done)} of ${number(total)}\x1b[K`)
    },
    end() {
      if (shown !== undefined) stream.write('\n')
      shown = undefined
    },
  }
}

/** A line now and then, for logs. */
export function lines(stream: NodeJS.WritableStream, everyMilliseconds = 5_000): Progress {
  let told = Date.now()
  return {
    show(what, done) {
      if (Date.now() - told < everyMilliseconds) return
      told = Date.now()
      stream.write(`${what}: ${number(done)} deleted\n`)
    },
    end() {},
  }
}

export const silence: Progress = { show() {}, end() {} }
