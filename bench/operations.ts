import type { AdapterUser } from '@auth/core/adapters'
import type { Person } from '../test/helpers/operations.js'
import { operations as all, newPerson } from '../test/helpers/operations.js'
import type { OperationName, Operations } from './contenders/contender.js'

export type { Person }

interface Operation {
  name: OperationName
  /** Done before, and not measured. */
  before?(adapter: Operations, person: Person): unknown
  run(adapter: Operations, person: Person): unknown
  /** Done with the result afterwards, and not measured. */
  after?(person: Person, result: never): void
}

const surroundings: Partial<Record<OperationName, Pick<Operation, 'before' | 'after'>>> = {
  createUser: { after: (person, user: AdapterUser) => own(person, user.id) },
  deleteUser: {
    async before(adapter, { account, session }) {
      await adapter.linkAccount(account)
      await adapter.createSession(session)
    },
  },
}

/** The operations in an order in which each finds what it needs, and the last leaves nothing behind. */
export const operations: Operation[] = Object.entries(all).map(([key, { run }]) => {
  const name = key as OperationName
  return { name, run, ...surroundings[name] }
})

/** People who have not been there before. */
export const newPeople = (count: number): Person[] => Array.from({ length: count }, newPerson)

// Some adapters make up the ids of their users.
function own(person: Person, id: string): void {
  person.user.id = id
  for (const thing of [person.account, person.session, person.authenticator]) thing.userId = id
}
