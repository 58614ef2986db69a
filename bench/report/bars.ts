import type { ContenderName } from '../contenders/contender.js'
import type { Times } from '../results.js'
import { linear, readable, short } from './scale.js'
import type { Box } from './svg.js'
import { bar, rule, text } from './svg.js'

/** Bars with a common label. */
export interface Group {
  label: string
  values: Times
}

const gap = 10

/** The height of these groups of bars, with the axis. */
export function barsHeight(groups: Group[], thickness: number): number {
  return groups.reduce((sum, { values }) => sum + Object.keys(values).length * thickness + gap, 0) + 24
}

/** Horizontal bars from a common zero, each with its value. */
export function bars(box: Box, groups: Group[], thickness: number, labelWidth: number): string[] {
  const left = box.x + labelWidth
  // Room for the value at the end of the longest bar.
  const width = box.width - labelWidth - 56
  const scale = linear(Math.max(...groups.flatMap(({ values }) => Object.values(values))))
  const bottom = box.y + barsHeight(groups, thickness) - 24
  const drawn = scale.ticks.flatMap((tick) => {
    const x = left + scale.place(tick) * width
    return [rule(x, box.y, x, bottom, tick === 0 ? 'axis' : 'grid'), text(x, bottom + 14, short(tick), 'faint', 'middle')]
  })

  let y = box.y + gap / 2
  for (const { label, values } of groups) {
    const entries = Object.entries(values) as [ContenderName, number][]
    if (label) drawn.push(text(left - 8, y + (entries.length * thickness) / 2 + 4, label, '', 'end'))
    for (const [name, value] of entries) {
      const length = scale.place(value) * width
      drawn.push(bar({ x: left, y, width: length, height: thickness - 1 }, name))
      drawn.push(text(left + length + 5, y + thickness / 2 + 3.5, readable(value), 'value'))
      y += thickness
    }
    y += gap
  }
  return drawn
}
