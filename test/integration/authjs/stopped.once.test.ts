import { expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../support/connections.js'
import { openApp } from './app.js'

/** MySQL commits each statement. Wherever a plan stops, the rest of its statements can run later, on another connection. */

test.runIf(inject('dialects').includes('mysql'))('a plan that stops anywhere on MySQL can be continued', async () => {
  const app = await openApp('mysql', 'official', { generator: 'ours' })
  onTestFinished(app.close)
  const before = await app.dump()
  const { plan, undo } = await app.plan()
  const statements = plan.flatMap(({ sql }) => sql)
  /** Runs each statement on a connection of its own, so that none relies on a setting of the session. */
  const runApart = async (all: string[], afterEach: (done: number) => Promise<void> = async () => {}) => {
    for (const [index, statement] of all.entries()) {
      const { exec, close } = await connect.mysql(app.url, { connections: 1 })
      await exec(statement).finally(close)
      await afterEach(index + 1)
    }
  }
  await runApart(statements, async (done) => {
    if (done === statements.length) return
    const { code, plan: rest, findings } = await app.plan()
    expect({ done, code, rest, findings: findings.map((finding) => finding.code) }).toEqual({
      done,
      code: 1,
      rest: [],
      findings: ['unfinished'],
    })
  })
  expect(await app.plan()).toMatchObject({ code: 0, plan: [] })
  await runApart(undo.flatMap(({ sql }) => sql))
  expect(await app.dump()).toEqual(before)
})
