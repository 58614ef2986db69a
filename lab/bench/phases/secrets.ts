import { secretsAtRest } from 'drizzle-auth-adapter/secrets'
import type { Contender, Operations } from '../contenders/contender.js'
import type { PhaseContext } from '../contenders/index.js'
import type { SecretTimes } from '../results.js'
import { rotated, Samples, timeCalls } from '../samples.js'
import { randomTokens, seededUser, sessionsPerUser } from '../seed.js'

const hashedToken = (token: string) => `h${token}`

/** Measures `getSessionAndUser` with hashed sessions and with plain ones, alternately on the same table. */
export async function measureSecrets({ report, sizes }: PhaseContext, { adapter, make }: Contender): Promise<SecretTimes> {
  const makeHashed = () => make({ secrets: secretsAtRest({ sessionTokens: 'hashed' }) }) as Operations
  const hashed = makeHashed()
  const tokens = [...new Set(randomTokens(sizes.calls, sizes.resident))]
  for (const [index, token] of tokens.entries())
    await hashed.createSession({
      sessionToken: hashedToken(token),
      userId: seededUser(index % (sizes.resident / sessionsPerUser)),
      expires: new Date(Date.now() + 86_400_000),
    })
  const ways = [
    { name: 'plain', prepare: () => (token: string) => (adapter as Operations).getSessionAndUser(token) },
    { name: 'hashed', prepare: () => (token: string) => hashed.getSessionAndUser(hashedToken(token)) },
    {
      name: 'first',
      async prepare() {
        // A new adapter has not cached any hash. Its statement is built before the measurement.
        const unused = makeHashed()
        await unused.getSessionAndUser('another token')
        return (token: string) => unused.getSessionAndUser(hashedToken(token))
      },
    },
  ]
  const samples = new Samples()
  const [rounds, warmUp] = [sizes.rounds * 2, sizes.warmUp * 3]
  for (let round = -warmUp; round < rounds; round++)
    for (const { name, prepare } of rotated(ways, round + warmUp)) {
      const call = await prepare()
      const results: unknown[] = []
      const time = await timeCalls(tokens.length, (index) => call(tokens[index] as string), results)
      if (results.includes(null)) throw new Error(`a ${name} session was not found`)
      if (round >= 0) samples.add(name, time)
    }
  const medianOf = (name: keyof SecretTimes) => samples.median(name) as number
  const times: SecretTimes = { plain: medianOf('plain'), hashed: medianOf('hashed'), first: medianOf('first') }
  for (const token of tokens) await hashed.deleteSession(hashedToken(token))
  report(
    `getSessionAndUser: plain ${times.plain.toFixed(1)} µs, hashed ${times.hashed.toFixed(1)} µs, first request ${times.first.toFixed(1)} µs`,
  )
  return times
}
