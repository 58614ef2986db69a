/** The tests that notice the mutants of a part of `src/`. Only tests in Vitest's own process do: no other knows which mutant is active. */
export interface Area {
  /** The quickest tests, which need no server. They come first. */
  quick: string[]
  /** The tests for what these do not notice, and the databases for them. */
  rest: string[]
  dialects: string
  /** The project of vitest.config.ts whose version of Drizzle is used. */
  project?: string
}

const folder = (path: string) => `${path}/!(*.slow|*.release)`

const adapterTests = [
  'contract/{dialects,extensions}',
  'database/{expired,plans,roundtrips}',
  'failures/retry.slow',
  'secrets/{config,modes,remembered,values}',
  // Without test/tables/loading.test.ts, which imports the package again: what runs at the import of a module would count as reached by it.
  'tables/{casing,columns,config,config-errors,odd,runtime}',
  ...['values', 'failures', 'drivers', 'extensions', 'drizzle-0.45'].map(folder),
]

/** By the path with which the files of the area begin. A file belongs to the area with the longest one. */
export const areas: Record<string, Area> = {
  'src/': { quick: ['query/*'], rest: adapterTests, dialects: 'sqlite,pg,mysql' },
  'src/pg/': { quick: ['query/*'], rest: adapterTests, dialects: 'pg' },
  'src/mysql/': { quick: ['query/*'], rest: adapterTests, dialects: 'mysql' },
  'src/sqlite/': { quick: ['query/*'], rest: adapterTests, dialects: 'sqlite' },
  'src/sqlite/libsql.ts': { quick: ['query/*'], rest: ['drivers/modes.slow', 'failures/delete-user-drivers.slow'], dialects: 'sqlite' },
  'src/relations/v2.ts': { quick: ['query/*'], rest: ['drizzle-1.0/relations'], dialects: 'sqlite', project: 'drizzle 1.0' },
  'src/secrets/': { quick: ['query/*', 'secrets/*.unit'], rest: [folder('secrets'), 'commands/secrets'], dialects: 'sqlite,pg,mysql' },
  'src/authjs/': { quick: ['authjs/*.unit'], rest: [folder('authjs'), folder('recipes'), 'authjs/access-tokens.slow'], dialects: 'sqlite' },
  'src/doctor/': { quick: ['doctor/*.unit'], rest: [folder('doctor'), 'commands/{doctor,rights}'], dialects: 'sqlite,pg,mysql' },
  'src/cli/': {
    quick: ['cli/*'],
    rest: ['commands/{connection,doctor,init,options,rights,secrecy,secrets,settings,sweep}'],
    dialects: 'sqlite,pg,mysql',
  },
  'src/cli/moving/': { quick: ['moving/*.unit'], rest: [folder('moving'), 'moving/{others,plan,rules}.slow'], dialects: 'sqlite,pg,mysql' },
}
