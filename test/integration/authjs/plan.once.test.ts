import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { openApp } from './app.js'

describe.each(inject('dialects'))('doctor --from authjs on %s', (dialect) => {
  test('moves and undoes', async () => {
    const app = await openApp(dialect, 'defineTables', { generator: 'ours' })
    onTestFinished(app.close)
    const before = await app.dump()
    const planned = await app.plan()
    expect(planned.code).toBe(0)
    await app.apply(planned.plan)
    const again = await app.plan()
    expect(again).toMatchObject({ code: 0, plan: [] })
    await app.apply(planned.undo)
    expect(await app.dump()).toEqual(before)
  })
})
