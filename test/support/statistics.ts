/** A percentile of the values, for example the median with a `part` of 0.5. */
export function percentile(values: number[], part: number): number {
  const sorted = Float64Array.from(values).sort()
  const position = (sorted.length - 1) * part
  const below = sorted[Math.floor(position)] ?? Number.NaN
  const above = sorted[Math.ceil(position)] ?? Number.NaN
  return below + (above - below) * (position - Math.floor(position))
}

export const median = (values: number[]) => percentile(values, 0.5)
