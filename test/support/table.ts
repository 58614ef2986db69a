/** A Markdown table. With `numbers`, all columns but the first are right-aligned. */
export function table(head: string[], rows: (string | number)[][], { numbers = false } = {}): string {
  const line = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map((_, index) => (numbers && index > 0 ? '---:' : '---'))), ...rows.map(line)].join('\n')
}

/** How often each item occurs, the most frequent first. */
export function tally(items: string[]): [string, number][] {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)
}
