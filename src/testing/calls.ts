import { casesAbout } from './case.js'
import { exercise } from './exercise.js'
import { ContractViolation, fail, ok } from './expect.js'
import { someTexts } from './fixtures.js'
import { show, timeOf } from './show.js'
import type { Subject } from './subject.js'
import { operationNames, operationOf, subjectOf } from './subject.js'
import { expectWorld, lookAround, viewsOf } from './views.js'
import type { World } from './world.js'
import { furnish, keyOfAccount, keyOfToken } from './world.js'

const contractCase = casesAbout('operations')

/** Writes what is there already. */
async function update(adapter: Subject, { user, session, authenticator }: World): Promise<void> {
  if (adapter.createUser) await adapter.updateUser?.(user)
  if (adapter.createSession) await adapter.updateSession?.(session)
  if (adapter.createAuthenticator) await adapter.updateAuthenticatorCounter?.(authenticator.credentialID, authenticator.counter)
}

/** Deletes every row, one after another. */
async function deleteRows(adapter: Subject, { user, account, session, token }: World): Promise<void> {
  await adapter.useVerificationToken?.(keyOfToken(token))
  await adapter.deleteSession?.(session.sessionToken)
  await adapter.unlinkAccount?.(keyOfAccount(account))
  await adapter.deleteUser?.(user.id)
}

/** What an operation gave. */
interface Given {
  operation: string
  result: unknown
}

/** The operations of an adapter, with something done to each parameter before and to each result after. */
function prepared(
  adapter: Subject,
  before: (parameter: unknown) => unknown,
  after: (given: Given) => unknown = ({ result }) => result,
): Subject {
  const operations = operationNames.flatMap((name) => {
    const operation = adapter[name] as ((...parameters: unknown[]) => unknown) | undefined
    const call = async (...parameters: unknown[]) => {
      return after({ operation: name, result: await operation?.(...parameters.map(before)) })
    }
    return operation ? [[name, call]] : []
  })
  return Object.fromEntries(operations)
}

const isObjectLike = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Overwrites every field of a row, and the time of its dates. */
function spoil(row: unknown, what = 'an argument', seen = new Set<unknown>()): void {
  if (!isObjectLike(row) || seen.has(row)) return
  seen.add(row)
  for (const [name, value] of Object.entries(row)) {
    if (timeOf(value) !== undefined) Date.prototype.setTime.call(value, 0)
    else spoil(value, what, seen)
    // The library gives rows to the app's callbacks, which write into them: session.user.role = …
    ok(Reflect.set(row, name, 'spoilt'), `${what}, field ${name}: expected a row that its caller can change, got one that is frozen`)
  }
}

/** As `spoil`, of what an operation gave. */
function spoilResult({ operation, result }: Given): void {
  try {
    spoil(result, operation)
  } catch (error) {
    if (error instanceof ContractViolation) throw error
    fail(`${operation}: expected a row whose fields can be read, but that threw ${show(error)}`)
  }
}

/** What is left of a row when it is spread. */
function spread(row: unknown): unknown {
  if (Array.isArray(row)) return row.map(spread)
  if (!isObjectLike(row) || timeOf(row) !== undefined) return row
  return Object.fromEntries(Object.entries({ ...row }).map(([name, value]) => [name, spread(value)]))
}

function copyOf(found: unknown, operation: string): unknown {
  try {
    return spread(found)
  } catch (error) {
    return fail(`${operation}: expected a row that can be spread, but reading it threw ${show(error)}`)
  }
}

// Values that are easily taken for none.
const noTokens = { ...someTexts(() => ''), expires_at: 0 }
const empty = { account: noTokens, authenticator: { counter: 0, credentialBackedUp: false, transports: '' } }

export const callCases = [
  contractCase('every operation gives empty values as they are', [], async (adapter) => {
    await exercise(adapter, empty, { name: '', image: '', emailVerified: null })
    await exercise(adapter, {}, { name: null, image: null, emailVerified: null })
  }),

  contractCase('operations work without this, as the library calls them', [], async (_, { original, timeout }) => {
    const detached = operationNames.flatMap((name) => {
      const operation = operationOf(original, name)
      return operation ? [[name, (...parameters: unknown[]) => operation(...parameters)]] : []
    })
    const subject = subjectOf(Object.fromEntries(detached), timeout)
    await exercise(subject)
    const first = await furnish(subject)
    const second = await furnish(subject, {}, first.user)
    for (const world of [first, second]) await expectWorld(subject, world, 'of a user who has several')
  }),

  contractCase('operations take arguments that are frozen', [], async (adapter) => {
    await exercise(prepared(adapter, (parameter) => (isObjectLike(parameter) ? Object.freeze({ ...parameter }) : parameter)))
  }),

  contractCase('operations take arguments that have no prototype', [], async (adapter) => {
    await exercise(prepared(adapter, (parameter) => (isObjectLike(parameter) ? Object.assign(Object.create(null), parameter) : parameter)))
  }),

  contractCase('the order of the properties of an argument does not matter', [], async (adapter) => {
    const reverse = (row: object) => Object.fromEntries(Object.entries(row).reverse())
    await exercise(prepared(adapter, (parameter) => (isObjectLike(parameter) ? reverse(parameter) : parameter)))
  }),

  contractCase('one object can be the argument of many calls', [], async (adapter) => {
    const one: Record<string, unknown> = {}
    const reusing = prepared(adapter, (parameter) => {
      if (!isObjectLike(parameter)) return parameter
      for (const name of Object.keys(one)) delete one[name]
      return Object.assign(one, parameter)
    })
    const worlds = [await furnish(reusing), await furnish(reusing)]
    for (const world of worlds) await expectWorld(reusing, world, 'as an argument that was used before')
  }),

  contractCase('what a caller does to its arguments later changes nothing', [], async (adapter) => {
    const given: unknown[] = []
    const keeping = prepared(adapter, (parameter) => {
      const copy = structuredClone(parameter)
      given.push(copy)
      return copy
    })
    const world = await furnish(keeping)
    for (const each of given.splice(0)) spoil(each)
    await expectWorld(adapter, world, 'after the arguments that created it were changed', { ignored: ['token'] })
    await update(keeping, world)
    for (const each of given.splice(0)) spoil(each)
    await expectWorld(adapter, world, 'after the arguments of an update were changed')
  }),

  contractCase('what a caller does to a result changes nothing', [], async (adapter) => {
    const given: Given[] = []
    const keeping = prepared(
      adapter,
      (parameter) => parameter,
      (each) => {
        given.push(each)
        return each.result
      },
    )
    // A copy: what is returned may be the very row that was given.
    const world = structuredClone(await furnish(keeping))
    given.splice(0).forEach(spoilResult)
    await expectWorld(adapter, world, 'after what the creating operations returned was changed', { ignored: ['token'] })
    await update(keeping, structuredClone(world))
    await lookAround(keeping, world)
    given.splice(0).forEach(spoilResult)
    await expectWorld(adapter, world, 'after results were changed', { ignored: ['token'] })
    await deleteRows(keeping, world)
    given.splice(0).forEach(spoilResult)
  }),

  contractCase('callers who look at once get rows of their own', [], async (adapter) => {
    const world = await furnish(adapter)
    for (const { operation, look, expect } of viewsOf(adapter, world)) {
      if (operation === 'useVerificationToken') continue
      const [result, second] = await Promise.all([look(), look()])
      spoilResult({ operation, result })
      expect(second, `${operation}, after another caller changed what it got at the same time`)
    }
  }),

  contractCase('rows keep their fields when they are spread', [], async (adapter) => {
    const spreading = prepared(
      adapter,
      (parameter) => parameter,
      ({ operation, result }) => copyOf(result, operation),
    )
    await exercise(spreading)
  }),
]
