import { defineConfig } from 'drizzle-kit'

const dialects = { pg: 'postgresql', mysql: 'mysql', sqlite: 'sqlite' } as const
const name = (process.env.DIALECT ?? 'sqlite') as keyof typeof dialects
if (!(name in dialects)) throw new Error(`DIALECT must be one of ${Object.keys(dialects).join(', ')}`)

/** The default tables of one dialect, chosen by DIALECT: `DIALECT=pg npx drizzle-kit generate`. */
export default defineConfig({
  dialect: dialects[name],
  schema: `./test/support/schema/${name}.ts`,
  out: process.env.MIGRATIONS ?? `./migrations/${name}`,
})
