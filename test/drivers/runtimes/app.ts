import { Auth, skipCSRFCheck } from '@auth/core'
import type { Adapter } from '@auth/core/adapters'
import * as tables from '../../package/typing/project/written/sqlite.js'
import { openClient } from '../../support/client.js'

type MakeAdapter = (db: never, tables: never) => object

const origin = 'http://localhost:3000'

/** An app with tables written by hand: somebody signs in with a link, and a wrong table is reported. The same source runs everywhere. */
export async function runApp(makeAdapter: MakeAdapter, db: object) {
  const make = (given: object) => makeAdapter(db as never, given as never) as Adapter
  const links: string[] = []
  const adapter = make(tables)
  const client = openClient(origin, (request) =>
    Auth(request, {
      basePath: '/auth',
      secret: 'a secret of the tests',
      trustHost: true,
      skipCSRFCheck,
      adapter,
      session: { strategy: 'database' },
      providers: [{ id: 'email', type: 'email', name: 'Email', sendVerificationRequest: ({ url }) => void links.push(url) }],
    }),
  )
  await client.go('/auth/signin/email', { email: 'ada@example.com', callbackUrl: '/' })
  await client.go(links[0] as string)
  const { response } = await client.go('/auth/session')
  const { user } = ((await response.json()) ?? {}) as { user?: { email: string } }
  return { signedIn: user?.email, error: messageOf(() => make({ ...tables, accountsTable: tables.sessionsTable })) }
}

function messageOf(run: () => unknown): string | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`
  }
}
