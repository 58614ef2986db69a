import type { ContenderName } from '../bench/contenders/contender.js'
import { contenderTitles } from '../bench/contenders/contender.js'

// The chart has its own background, because the theme of the reader's system may differ from that of the page.
const style = `
text { font: 14px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328 }
.title { font-size: 17px; font-weight: 600 } .head { font-weight: 600 } .faint, .value { fill: #59636e; font-size: 13px }
.paper { fill: #ffffff } .axis { stroke: #818b98; stroke-width: 1 }
.ours { fill: #1f6feb } .official { fill: #d9730d } .kysely { fill: #8250df } .drizzle { fill: #1a7f37 } .hand { fill: #818b98 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .faint, .value { fill: #9198a1 } .paper { fill: #0d1117 } .axis { stroke: #656c76 }
  .ours { fill: #58a6ff } .official { fill: #f0883e } .kysely { fill: #bc8cff } .drizzle { fill: #3fb950 } .hand { fill: #9198a1 }
}`

// A phone shows it at four fifths of this width, so the text is larger than in the page around it.
const [width, margin, thickness] = [420, 16, 18]

const text = (x: number, y: number, content: string, kind = '') =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}"${kind && ` class="${kind}"`}>${content.replace(/&/g, '&amp;').replace(/</g, '&lt;')}</text>`

const bar = (x: number, y: number, length: number, height: number, name: ContenderName) =>
  `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${Math.max(length, 1).toFixed(1)}" height="${height}" class="${name}"/>`

/** Horizontal bars from a common zero, each with its value. */
function bars(x: number, y: number, room: number, values: [ContenderName, number][]): string[] {
  const highest = Math.max(...values.map(([, value]) => value))
  const drawn = values.flatMap(([name, value], index) => {
    const length = (value / highest) * room
    const row = y + index * thickness
    const shown = value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
    return [bar(x, row, length, thickness - 1, name), text(x + length + 5, row + 13, shown, 'value')]
  })
  return [...drawn, `<line x1="${x}" y1="${y - 4}" x2="${x}" y2="${y + values.length * thickness + 4}" class="axis"/>`]
}

/** An SVG with a panel of bars for each database, two beside each other. Each panel has its own scale. */
export function barChart(title: string, unit: string, panels: [title: string, values: Partial<Record<ContenderName, number>>][]): string {
  const names = Object.keys(panels[0]?.[1] ?? {}) as ContenderName[]
  const panelHeight = names.length * thickness + 48
  const top = 58 + Math.ceil(names.length / 2) * 22
  const height = top + Math.ceil(panels.length / 2) * panelHeight
  const legend = names.flatMap((name, index) => {
    const [x, y] = [margin + (index % 2) * (width / 2), 58 + Math.floor(index / 2) * 22]
    return [bar(x, y, 12, 12, name), text(x + 18, y + 11, contenderTitles[name])]
  })
  const body = panels.flatMap(([title, values], index) => {
    const x = (index % 2) * (width / 2) + margin
    const y = top + Math.floor(index / 2) * panelHeight
    // The value stands behind the longest bar.
    return [
      text(x, y + 16, title, 'head'),
      ...bars(x, y + 28, width / 2 - margin * 2 - 30, Object.entries(values) as [ContenderName, number][]),
    ]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${title} (${unit})</title>`,
    `<style>${style}\n</style>`,
    `<rect width="${width}" height="${height}" rx="6" class="paper"/>`,
    text(margin, 26, title, 'title'),
    text(margin, 46, unit, 'faint'),
    ...legend,
    ...body,
    '</svg>\n',
  ].join('\n')
}
