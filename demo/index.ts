// npx tsx demo/index.ts starts the demo. Its settings are DATABASE_URL, PORT, LIBRARY, SESSION, SECRETS and AUTH_SECRET.
import { startDemo } from './demo.js'

const { DATABASE_URL, PORT = '3000', LIBRARY = 'authjs', SESSION = 'database', SECRETS = 'off', AUTH_SECRET } = process.env

function explain(error: unknown): string {
  const { code, message } = error as { code?: string; message: string }
  if (code === 'EADDRINUSE') return `Port ${PORT} is taken. Choose another one: PORT=${Number(PORT) + 1} npm start`
  const cause = (error as { cause?: { code?: string; message: string } }).cause
  const reason = cause?.message || cause?.code || message || code
  const advice = /already exists/.test(String(reason)) ? '. Auth.js and Better Auth need a database each' : ''
  return `The demo cannot start: ${reason}${advice}`
}

try {
  if (!/^\d+$/.test(PORT) || Number(PORT) > 65_535) throw new Error('PORT must be a number up to 65535')
  if (LIBRARY !== 'authjs' && LIBRARY !== 'better-auth') throw new Error('LIBRARY must be authjs or better-auth')
  if (SESSION !== 'database' && SESSION !== 'jwt') throw new Error('SESSION must be database or jwt')
  if (SECRETS !== 'on' && SECRETS !== 'off') throw new Error('SECRETS must be on or off')
  if (LIBRARY === 'better-auth' && (SESSION === 'jwt' || SECRETS === 'on')) throw new Error('SESSION and SECRETS are for Auth.js only')
  const demo = await startDemo({
    port: Number(PORT),
    library: LIBRARY,
    databaseUrl: DATABASE_URL ?? `file:.tmp/${LIBRARY === 'authjs' ? 'demo' : 'demo-better-auth'}.sqlite`,
    strategy: SESSION,
    secret: AUTH_SECRET,
    protect: SECRETS === 'on',
    log: console.log,
  })
  const settings = LIBRARY === 'authjs' ? `Auth.js, sessions: ${SESSION}, secrets at rest: ${SECRETS}` : 'Better Auth'
  console.log(`The demo runs at ${demo.origin} (${settings}). Ctrl-C ends it.`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await demo.stop()
      process.exit(0)
    })
  }
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}
