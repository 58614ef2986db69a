/** Some SQLite drivers return results synchronously. Wrapping each one in a promise would cost more than the query. */
export type Awaitable<T> = T | PromiseLike<T>

function isPromise<T>(value: Awaitable<T>): value is PromiseLike<T> {
  return typeof (value as PromiseLike<T> | null | undefined)?.then === 'function'
}

/** Goes on with a result as soon as it is there. */
export function andThen<T, Result>(value: Awaitable<T>, next: (value: T) => Awaitable<Result>): Awaitable<Result> {
  return isPromise(value) ? value.then(next) : next(value)
}

/** Calls a function, and goes on with its result or with its error, now or later. */
export function settle<T, Result>(
  run: () => Awaitable<T>,
  next: (value: T) => Awaitable<Result>,
  recover: (error: unknown) => Awaitable<Result>,
): Awaitable<Result> {
  let result: Awaitable<T>
  try {
    result = run()
  } catch (error) {
    return recover(error)
  }
  return isPromise(result) ? result.then(next, recover) : next(result)
}
