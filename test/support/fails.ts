import { inspect } from 'node:util'
import type { FailureKind } from 'drizzle-auth-adapter'
import { AdapterOperationError } from 'drizzle-auth-adapter'
import { expect } from 'vitest'

/** Expects an AdapterOperationError of this kind, and that no way of printing the error shows the secrets. */
export async function expectFailure(
  call: Promise<unknown>,
  operation: string,
  kind: FailureKind,
  code: RegExp | undefined,
  secrets: string[],
) {
  const error = await call.then(
    () => expect.unreachable(`${operation} must fail`),
    (error: unknown) => error,
  )
  expect(error).toBeInstanceOf(AdapterOperationError)
  expect(error).toMatchObject({ name: 'AdapterOperationError', operation, kind })
  if (code) expect((error as AdapterOperationError).code).toMatch(code)
  expect((error as Error).message).toMatch(new RegExp(`^${operation}: `))
  expect((error as Error).cause).toBeUndefined()
  const printed = [String(error), (error as Error).stack, JSON.stringify(error), inspect(error, { depth: 20, showHidden: true })].join('\n')
  for (const secret of secrets) expect(printed).not.toContain(secret)
}
