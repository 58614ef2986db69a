import type { RunOptions } from 'axe-core'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** The accessibility violations that axe finds in a part of the page. */
export async function violationsIn(page: Page, selector: string, options: RunOptions = {}): Promise<string[]> {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(([part, chosen]) => (globalThis as unknown as { axe: typeof axe }).axe.run(part, chosen), [
    selector,
    options,
  ] as const)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}\n${failureSummary}`))
}
