import type { Entry, Fault, OperationName, Row } from '../fault.js'
import { faultsOf, keyed, operationOf } from '../fault.js'

type Leak = (message: string, secret: string) => unknown

/** An operation whose errors hold a value that it was given. */
const leaking =
  (operation: OperationName, secretIn: (row: Row) => unknown, leak: Leak, when: (row: Row) => unknown = () => true): Fault['broken'] =>
  (sound) => ({
    [operation]: async (...parameters: unknown[]) => {
      try {
        return await operationOf(sound, operation)(...parameters)
      } catch (error) {
        const row = (typeof parameters[0] === 'object' && parameters[0] ? parameters[0] : { key: parameters[0] }) as Row
        const secret = secretIn(row)
        throw typeof secret === 'string' && when(row) ? leak((error as Error).message, secret) : error
      }
    },
  })

const inMessage: Leak = (message, secret) => new Error(`${message}: ${secret}`)
const inCause: Leak = (message, secret) => new Error(message, { cause: new Error('query failed', { cause: { parameters: [secret] } }) })
const inMap: Leak = (message, secret) => Object.assign(new Error(message), { values: new Map([['token', secret]]) })
const inSet: Leak = (message, secret) => Object.assign(new Error(message), { values: new Set([{ secret }]) })
const inSymbol: Leak = (message, secret) => Object.assign(new Error(message), { [Symbol('query')]: { sql: `insert '${secret}'` } })
const inName: Leak = (message, secret) => Object.assign(new Error(message), { [secret]: true })
const inAggregate: Leak = (message, secret) => new AggregateError([new Error('one'), new Error(`two: ${secret}`)], message)
const inBytes: Leak = (message, secret) => Object.assign(new Error(message), { packet: new TextEncoder().encode(`..${secret}..`) })
const inHidden: Leak = (message, secret) => Object.defineProperty(new Error(message), 'query', { value: secret, enumerable: false })
const inRequest: Leak = (message, secret) => Object.assign(new Error(message), { config: { headers: new Headers({ 'x-token': secret }) } })
const inPart: Leak = (message, secret) => new Error(`${message}: ${secret.slice(0, 24)}…`)
const inStack: Leak = (message, secret) => Object.assign(new Error(message), { stack: `Error: ${message}\n    at query (${secret})` })
const inText: Leak = (message, secret) => Object.assign(new Error(message), { toJSON: () => ({ body: secret }) })
class QueryError extends Error {
  readonly #values: string[]
  constructor(message: string, values: string[]) {
    super(message)
    this.#values = values
  }
  get details() {
    return { values: this.#values }
  }
}
const inGetter: Leak = (message, secret) => new QueryError(message, [secret])

const secrets: [OperationName, string, Leak[]][] = [
  ['createUser', 'email', [inMessage, inGetter]],
  ['createUser', 'name', [inMap]],
  ['updateUser', 'email', [inMessage, inAggregate]],
  ['updateUser', 'image', [inHidden]],
  [
    'linkAccount',
    'access_token',
    [inMessage, inCause, inMap, inSet, inGetter, inAggregate, inSymbol, inName, inBytes, inPart, inRequest, inStack, inText, inHidden],
  ],
  ['linkAccount', 'refresh_token', [inCause]],
  ['linkAccount', 'providerAccountId', [inMessage]],
  ['createSession', 'sessionToken', [inMessage, inPart, inSet]],
  ['updateSession', 'sessionToken', [inMessage, inGetter]],
  ['createVerificationToken', 'token', [inMessage, inStack]],
  ['createVerificationToken', 'identifier', [inCause]],
  ['createAuthenticator', 'credentialID', [inMessage]],
  ['createAuthenticator', 'credentialPublicKey', [inBytes]],
  ['updateAuthenticatorCounter', 'key', [inMessage]],
]

const names = new Map<Leak, string>([
  ...([
    [inMessage, 'its message'],
    [inCause, 'the parameters of a cause'],
    [inMap, 'a map'],
    [inSet, 'a set'],
    [inSymbol, 'a property under a symbol'],
  ] as const),
  ...([
    [inName, 'the name of a property'],
    [inAggregate, 'an error inside'],
    [inBytes, 'bytes'],
    [inHidden, 'a hidden property'],
    [inPart, 'its message, in part'],
  ] as const),
  ...([
    [inRequest, 'the headers of a request'],
    [inStack, 'its stack'],
    [inText, 'its JSON'],
    [inGetter, 'a getter of its class'],
  ] as const),
])

/** Ways to fail, as far as a row shows them. */
const ways: [OperationName, string, string, (row: Row) => unknown][] = [
  ['linkAccount', 'access_token', 'a value is of the wrong type', (row) => row.expires_at === 'soon'],
  ['linkAccount', 'access_token', 'a value is missing', (row) => row.userId == null || row.provider == null],
  ['createSession', 'sessionToken', 'the date is invalid', (row) => Number.isNaN(Number(row.expires))],
  ['createSession', 'sessionToken', 'the user is missing', (row) => row.userId === null],
  ['createUser', 'email', 'the date is invalid', (row) => Number.isNaN(Number(row.emailVerified))],
  ['updateUser', 'email', 'the user is unknown', (row) => row.emailVerified === undefined && row.name !== 'Bob'],
  ['createVerificationToken', 'token', 'the date is invalid', (row) => Number.isNaN(Number(row.expires))],
  ['createAuthenticator', 'credentialID', 'the counter is no number', (row) => row.counter === 'many'],
]

export const errorFaults = faultsOf('secrets in errors', [
  ...secrets.flatMap(([operation, field, leaks]) =>
    leaks.map(
      (leak): Entry => [`an error of ${operation} holds ${field} in ${names.get(leak)}`, leaking(operation, (row) => row[field], leak)],
    ),
  ),
  ...ways.map(
    ([operation, field, way, when]): Entry => [
      `an error of ${operation} holds ${field} where ${way}`,
      leaking(operation, (row) => row[field], inMessage, when),
    ],
  ),
  ...keyed
    .filter(({ operation }) => ['getSessionAndUser', 'useVerificationToken', 'unlinkAccount'].includes(operation))
    .map(
      ({ operation, keyIn }): Entry => [
        `${operation} throws for a key that is no text, and shows it`,
        (sound) => ({
          [operation]: async (...parameters: unknown[]) => {
            const odd = Object.values(keyIn(parameters)).find((value) => typeof value === 'object' && value && 'text' in value)
            if (odd) throw new TypeError(`expected a string, got ${JSON.stringify(odd)}`)
            return operationOf(sound, operation)(...parameters)
          },
        }),
      ],
    ),
  [
    'createUser throws a text',
    (sound) => ({
      createUser: async (user) => {
        try {
          return await sound.createUser(user)
        } catch (error) {
          throw (error as Error).message
        }
      },
    }),
  ],
])
