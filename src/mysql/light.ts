import type { Query } from '../statements.js'

interface Settings {
  readonly typeCast: unknown
  readonly password2?: unknown
}

/** A client of mysql2's, as far as it is used: its promises are of a pool, or of a connection, which have the settings. */
interface Client {
  query(options: object, values: unknown[]): Promise<unknown>
  readonly pool?: { readonly config?: { readonly connectionConfig?: Settings } }
  readonly connection?: { readonly config?: Settings }
}

/**
 * The query, without two costs of mysql2's that are about a seventh of a short read together.
 *
 * Drizzle has dates read as text, by a function that is called for each value of each row; mysql2's `dateStrings` gives the same text.
 * That function also goes before a `typeCast` among the app's settings: where there is one, all stays as it is. And mysql2's promises
 * take a stack trace for each call, for an error that may come; the errors of this adapter have their own.
 */
export function light(query: Query): Query {
  const { session } = query
  const client = session?.client as Client | undefined
  const settings = client?.pool?.config?.connectionConfig ?? client?.connection?.config
  // Early versions of mysql2 2 know `dateStrings` of whole connections alone. What has settings for a second password is mysql2 3.
  if (session && client && settings?.typeCast === true && 'password2' in settings) {
    const lighter: Client = {
      query(options, values) {
        const begin = () => client.query({ ...options, typeCast: undefined, dateStrings: true }, values)
        // What an app has put around its client may want to know who called.
        return client.query === Object.getPrototypeOf(client).query ? withoutStackTraces(begin) : begin()
      },
    }
    query.session = Object.create(session, { client: { value: lighter } })
  }
  return query
}

/** What begins in here takes none; what goes on later does. */
function withoutStackTraces<T>(begin: () => T): T {
  const { stackTraceLimit } = Error as { stackTraceLimit?: number }
  // Where it is frozen, this leaves it as it is.
  const limit = (frames: number | undefined) => Reflect.set(Error, 'stackTraceLimit', frames)
  limit(0)
  try {
    return begin()
  } finally {
    limit(stackTraceLimit)
  }
}
