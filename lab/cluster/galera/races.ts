import { AdapterOperationError } from 'drizzle-auth-adapter'
import { newPerson } from '../../../test/support/operations.js'
import type { Report } from '../report.js'
import { counted } from '../report.js'
import type { Sizes } from '../sizes.js'
import type { OpenMachine } from './machine.js'
import { nodeRows, nthMachine } from './machine.js'

/** Uses each verification token many times concurrently on all nodes. `readers` count what is left, so they must not be stale. */
export async function raceForTokens(machines: OpenMachine[], { tokens, asks }: Sizes, report: Report, setting: string, readers = machines) {
  const wrong: string[] = []
  const errors: string[] = []
  let winners = 0
  for (let round = 0; round < tokens; round++) {
    const { token } = newPerson()
    await nthMachine(machines, round).adapter.createVerificationToken(token)
    const asking = Array.from({ length: asks }, (_, ask) => nthMachine(machines, ask).adapter.useVerificationToken(token))
    const answers = await Promise.allSettled(asking)
    const given = answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length
    for (const answer of answers) if (answer.status === 'rejected') errors.push(String(answer.reason))
    winners += given
    if (given !== 1) wrong.push(`token ${round} had ${given} winners`)
  }
  report.check(`${setting}, ${tokens} tokens, each used ${asks} times concurrently on all nodes: ${winners} winners`, wrong)
  report.check('no error reached a caller', counted(errors))
  const left = (await nodeRows(readers)).map((rows) => rows.size)
  report.check('no token is left on any node', left.every((size) => size === 0) || [`rows on the nodes: ${left}`])
  return { tokens, asks, winners, errors: errors.length }
}

export async function raceForSignUps(machines: OpenMachine[], { emails }: Sizes, report: Report) {
  const asks = machines.length * 4
  const wrong: string[] = []
  const errors: string[] = []
  const created: string[] = []
  let duplicates = 0
  for (let round = 0; round < emails; round++) {
    const { user } = newPerson()
    const answers = await Promise.allSettled(
      Array.from({ length: asks }, (_, ask) => nthMachine(machines, ask).adapter.createUser({ ...user, id: crypto.randomUUID() })),
    )
    let users = 0
    for (const answer of answers) {
      if (answer.status === 'fulfilled') {
        users++
        created.push(answer.value.id)
      } else if (answer.reason instanceof AdapterOperationError && answer.reason.kind === 'duplicate') duplicates++
      else errors.push(String(answer.reason))
    }
    if (users !== 1) wrong.push(`email ${round} has ${users} users`)
  }
  report.check(`${emails} emails, each signed up ${asks} times concurrently on all nodes: ${created.length} users`, wrong)
  report.check(`the others fail with duplicate: ${duplicates}`, counted(errors))
  const expected = created.map((id) => `user ${id}`).sort()
  const all = await nodeRows(machines)
  report.check(
    'every node has these users and no others',
    all.flatMap((rows, node) => ([...rows.keys()].sort().join() === expected.join() ? [] : [`node ${node + 1} has ${rows.size} rows`])),
  )
  for (const id of created) await nthMachine(machines, 0).adapter.deleteUser(id)
  return { emails, asks, users: created.length, duplicates, errors: errors.length }
}
