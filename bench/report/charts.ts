import type { ContenderName, OperationName } from '../contenders/contender.js'
import { contenderNames, wholeContenders } from '../contenders/contender.js'
import type { DatabaseName } from '../databases.js'
import { databaseNames, databaseTitles } from '../databases.js'
import type { DatabaseResults, Growth, Load, Memory, OperationTimes, Results, Times } from '../results.js'
import { bars, barsHeight } from './bars.js'
import { lines } from './lines.js'
import { linear, logarithmic, short } from './scale.js'
import { grid, headHeight, sheet, sheetWidth, text } from './svg.js'

/** The charts of a run, by the names of their files. */
export function drawCharts(results: Results): Map<string, string> {
  const charts = new Map<string, string>()
  const having = <Key extends keyof DatabaseResults>(key: Key) =>
    databaseNames.flatMap((name) => {
      const found = results.databases[name]?.[key]
      return found ? [[name, found] as [DatabaseName, NonNullable<DatabaseResults[Key]>]] : []
    })

  const operations = having('operations')
  const session = having('session')
  if (session.length > 0) charts.set('session.svg', drawSession(session))
  for (const [name, times] of operations) charts.set(`operations-${name}.svg`, drawOperations(name, times))
  const concurrency = having('concurrency')
  if (concurrency.length > 0) charts.set('concurrency.svg', drawConcurrency(concurrency))
  const growth = having('growth')
  for (const operation of Object.keys(growth[0]?.[1].times ?? {}) as OperationName[]) {
    charts.set(`growth-${operation}.svg`, drawGrowth(operation, growth))
  }
  for (const [, memory] of having('memory')) charts.set('memory.svg', drawMemory(memory))
  return charts
}

function drawSession(all: [DatabaseName, Times][]): string {
  const groups = all.map(([name, values]) => ({ title: databaseTitles[name], values }))
  const { boxes, height } = grid(groups.length, Math.max(...groups.map(({ values }) => barsHeight([{ label: '', values }], 16))) + 32)
  const body = groups.flatMap(({ title, values }, index) => {
    const box = boxes[index] as (typeof boxes)[number]
    return [text(box.x, box.y + 12, title, 'head'), ...bars({ ...box, y: box.y + 20 }, [{ label: '', values }], 16, 0)]
  })
  return sheet('getSessionAndUser', 'microseconds a call, one connection; shorter is better', [...contenderNames], height, body)
}

function drawOperations(name: DatabaseName, times: OperationTimes): string {
  const groups = Object.entries(times).map(([label, values]) => ({ label, values }))
  const box = { x: 16, y: headHeight, width: sheetWidth - 32, height: barsHeight(groups, 11) }
  const title = `Every operation on ${databaseTitles[name]}`
  const unit = 'microseconds a call, one connection; shorter is better'
  return sheet(title, unit, wholeContenders, headHeight + box.height + 8, bars(box, groups, 11, 180))
}

function drawConcurrency(all: [DatabaseName, Partial<Record<ContenderName, Load[]>>][]): string {
  const { boxes, height } = grid(all.length, 240)
  const body = all.flatMap(([name, loads], index) => {
    const values = Object.fromEntries(Object.entries(loads).map(([contender, own]) => [contender, own.map((load) => load.perSecond)]))
    return lines(boxes[index] as (typeof boxes)[number], {
      title: databaseTitles[name],
      steps: (loads.ours ?? []).map((load) => String(load.inFlight)),
      stepsUnit: 'calls in flight',
      values,
      scale: linear(Math.max(...Object.values(values).flat())),
    })
  })
  return sheet('getSessionAndUser under load', 'calls a second; higher is better', [...contenderNames], height, body)
}

function drawGrowth(operation: OperationName, all: [DatabaseName, Growth][]): string {
  const { boxes, height } = grid(all.length, 240)
  const body = all.flatMap(([name, { sessions, times }], index) => {
    const values = times[operation] ?? {}
    const every = Object.values(values).flat()
    return lines(boxes[index] as (typeof boxes)[number], {
      title: databaseTitles[name],
      steps: sessions.map(short),
      stepsUnit: 'sessions',
      values,
      scale: logarithmic(Math.min(...every), Math.max(...every)),
    })
  })
  const unit = 'microseconds a call, by the number of sessions; both axes are logarithmic'
  return sheet(`${operation} as the tables grow`, unit, ['ours', 'official'], height, body)
}

function drawMemory(memory: Memory): string {
  const heaps = memory.map(({ heap }) => heap)
  const box = { x: 16, y: headHeight, width: sheetWidth - 32, height: 220 }
  const body = lines(box, {
    title: '',
    steps: memory.map(({ operations }) => short(Math.round(operations / 1000) * 1000)),
    stepsUnit: 'operations',
    values: { ours: heaps },
    scale: linear(Math.max(...heaps)),
  })
  return sheet('The heap while every operation is called over and over', 'megabytes after garbage collection', ['ours'], 300, body)
}
