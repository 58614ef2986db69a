/** A Markdown table in which all columns but the first are right-aligned. */
export function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '---:'))), ...rows.map(line)].join('\n')
}

/** A number of microseconds, or a dash if there is none. */
export function microseconds(time: number | undefined): string {
  return time === undefined ? '–' : time.toLocaleString('en', { maximumFractionDigits: time < 100 ? 1 : 0 })
}

/** The ratio of two numbers, or a dash if one is missing. */
export function times(one: number | undefined, other: number | undefined): string {
  return one === undefined || other === undefined ? '–' : (one / other).toFixed(one / other < 10 ? 2 : 1)
}
