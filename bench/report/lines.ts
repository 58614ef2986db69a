import type { ContenderName } from '../contenders/contender.js'
import type { Scale } from './scale.js'
import { short } from './scale.js'
import type { Box } from './svg.js'
import { path, rule, text } from './svg.js'

export interface Lines {
  title: string
  /** The labels of the x axis. */
  steps: string[]
  stepsUnit: string
  /** For each contender, one value for each step. */
  values: Partial<Record<ContenderName, number[]>>
  scale: Scale
}

/** Draws one line for each contender. If there are many steps, only some have a label. */
export function lines(box: Box, { title, steps, stepsUnit, values, scale }: Lines): string[] {
  const left = box.x + 44
  const right = box.x + box.width - 12
  const top = box.y + 26
  const bottom = box.y + box.height - 34
  const xOf = (index: number) => left + ((right - left) * index) / (steps.length - 1 || 1)
  const yOf = (value: number) => bottom - scale.place(value) * (bottom - top)
  const labelEvery = Math.ceil(steps.length / 6)
  return [
    text(box.x, box.y + 12, title, 'head'),
    ...scale.ticks.flatMap((tick, index) => [
      rule(left, yOf(tick), right, yOf(tick), index === 0 ? 'axis' : 'grid'),
      text(left - 6, yOf(tick) + 4, short(tick), 'faint', 'end'),
    ]),
    ...steps.map((step, index) => (index % labelEvery === 0 ? text(xOf(index), bottom + 16, step, 'faint', 'middle') : '')),
    text((left + right) / 2, bottom + 32, stepsUnit, 'faint', 'middle'),
    ...(Object.entries(values) as [ContenderName, number[]][]).map(([name, own]) =>
      path(
        own.map((value, index) => [xOf(index), yOf(value)]),
        name,
      ),
    ),
  ]
}
