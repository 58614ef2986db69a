import type { ContenderName } from '../contenders/contender.js'
import { contenderTitles } from '../contenders/contender.js'

/** A part of the sheet, in pixels. */
export interface Box {
  x: number
  y: number
  width: number
  height: number
}

// The sheet has its own background, because the theme of the reader's system may differ from that of the page.
const style = `
text { font: 12px system-ui, -apple-system, 'Segoe UI', sans-serif; fill: #1f2328 }
.title { font-size: 16px; font-weight: 600 } .head { font-weight: 600 } .faint { fill: #59636e; font-size: 11px } .value { fill: #59636e; font-size: 10px }
.paper { fill: #ffffff } .grid { stroke: #d1d9e0; stroke-width: 1 } .axis { stroke: #818b98; stroke-width: 1 }
.ours { fill: #1f6feb; stroke: #1f6feb } .official { fill: #d9730d; stroke: #d9730d }
.kysely { fill: #8250df; stroke: #8250df } .hand { fill: #818b98; stroke: #818b98 }
.drizzle { fill: #1a7f37; stroke: #1a7f37 }
.bar { stroke: none } .line { fill: none; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc } .faint, .value { fill: #9198a1 } .paper { fill: #0d1117 } .grid { stroke: #30363d } .axis { stroke: #656c76 }
  .ours { fill: #58a6ff; stroke: #58a6ff } .official { fill: #f0883e; stroke: #f0883e }
  .kysely { fill: #bc8cff; stroke: #bc8cff } .hand { fill: #9198a1; stroke: #9198a1 }
  .drizzle { fill: #3fb950; stroke: #3fb950 }
  .bar { stroke: none } .line { fill: none }
}`

const round = (value: number) => Math.round(value * 10) / 10

export function text(x: number, y: number, content: string, kind = '', anchor: 'start' | 'middle' | 'end' = 'start'): string {
  const escaped = content.replace(/&/g, '&amp;').replace(/</g, '&lt;')
  return `<text x="${round(x)}" y="${round(y)}"${kind && ` class="${kind}"`} text-anchor="${anchor}">${escaped}</text>`
}

export function rule(x1: number, y1: number, x2: number, y2: number, kind: 'grid' | 'axis'): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" class="${kind}"/>`
}

export function bar({ x, y, width, height }: Box, name: ContenderName): string {
  return `<rect x="${round(x)}" y="${round(y)}" width="${round(Math.max(width, 1))}" height="${height}" class="${name} bar"/>`
}

export function path(points: [number, number][], name: ContenderName): string {
  const dots = points.map(([x, y]) => `<circle cx="${round(x)}" cy="${round(y)}" r="3" class="${name} bar"/>`)
  return `<polyline points="${points.map(([x, y]) => `${round(x)},${round(y)}`).join(' ')}" class="${name} line"/>${dots.join('')}`
}

/** The height that title, unit and legend take at the top of a sheet. */
export const headHeight = 70
export const sheetWidth = 860

/** A complete SVG: title, unit, legend, and the body below them. */
export function sheet(title: string, unit: string, names: ContenderName[], height: number, body: string[]): string {
  const legend = names.flatMap((name, index) => {
    const x = 16 + index * 168
    return [bar({ x, y: 50, width: 10, height: 10 }, name), text(x + 16, 59, contenderTitles[name])]
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${sheetWidth} ${height}" width="${sheetWidth}" height="${height}" role="img">`,
    `<title>${title} (${unit})</title>`,
    `<style>${style}\n</style>`,
    `<rect width="${sheetWidth}" height="${height}" rx="6" class="paper"/>`,
    text(16, 24, title, 'title'),
    text(16, 41, unit, 'faint'),
    ...legend,
    ...body,
    '</svg>\n',
  ].join('\n')
}

/** The positions of this number of panels, in two columns. */
export function grid(count: number, height: number): { boxes: Box[]; height: number } {
  const width = sheetWidth / 2
  const boxes = Array.from({ length: count }, (_, index) => ({
    x: (index % 2) * width + 16,
    y: headHeight + Math.floor(index / 2) * height,
    width: width - 32,
    height: height - 16,
  }))
  return { boxes, height: headHeight + Math.ceil(count / 2) * height }
}
