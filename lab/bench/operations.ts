import type { AdapterUser } from '@auth/core/adapters'
import type { Person } from '../../test/support/operations.js'
import { operations as all, newPerson } from '../../test/support/operations.js'
import type { OperationName, Operations } from './contenders/contender.js'

export type { Person }

interface Operation {
  name: OperationName
  /** Runs before the operation, and is not measured. */
  before?(adapter: Operations, person: Person): unknown
  run(adapter: Operations, person: Person): unknown
  /** Runs with the result afterwards, and is not measured. */
  after?(person: Person, result: never): void
}

const hooks: Partial<Record<OperationName, Pick<Operation, 'before' | 'after'>>> = {
  createUser: { after: (person, user: AdapterUser) => setUserId(person, user.id) },
  deleteUser: {
    async before(adapter, { account, session }) {
      await adapter.linkAccount(account)
      await adapter.createSession(session)
    },
  },
}

/** The operations in an order in which each finds the rows that it needs, and the last deletes the user. */
export const operations: Operation[] = Object.entries(all).map(([key, { run }]) => {
  const name = key as OperationName
  return { name, run, ...hooks[name] }
})

/** People of whom nothing is in the database yet. */
export const newPeople = (count: number): Person[] => Array.from({ length: count }, newPerson)

// Some adapters ignore the given id and generate one.
function setUserId(person: Person, id: string): void {
  person.user.id = id
  for (const thing of [person.account, person.session, person.authenticator]) thing.userId = id
}
