import { expect, inject, onTestFinished, test } from 'vitest'
import { connect } from '../../../../test/support/connections.js'
import { openApp } from '../../support/authjs/app.js'

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
    // The first statement only looks, and the second one creates the first table: the plan can begin again.
    if (done < 3) return
    const { code, plan: rest, findings } = await app.plan()
    expect({ done, code, rest, findings: findings.map((finding) => finding.code) }).toEqual({
      done,
      code: 1,
      rest: [],
      findings: ['unfinished'],
    })
  })
  expect(await app.plan()).toMatchObject({ code: 0, plan: [] })
  // Nothing is lost before the old tables are back: no table and no column is dropped, and no row of a new table deleted.
  const lost = async () => {
    const shape = await app.run(`select table_name as t, column_name as c from information_schema.columns where table_schema = database()`)
    const columns = shape.map(({ t, c }) => `${String(t).replace('authjs_new_', '')}.${c}`)
    const name = shape.some(({ t }) => t === 'authjs_new_session') ? 'authjs_new_session' : 'session'
    const isBack = columns.includes('session.sessionToken') && columns.includes('account.provider')
    const isThere = columns.includes('session.token') && columns.includes('passkey.id') && columns.includes('user.created_at')
    return isBack || (isThere && (await app.q(`select * from "${name}"`)).length === sessions) ? '' : 'lost'
  }
  const sessions = (await app.q('select * from "session"')).length
  expect(sessions).toBeGreaterThan(0)
  await runApart(
    undo.flatMap(({ sql }) => sql),
    async (done) => expect({ done, lost: await lost() }).toEqual({ done, lost: '' }),
  )
  expect(await app.dump()).toEqual(before)
})
