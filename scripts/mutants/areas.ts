/** The tests that notice the mutants of a part of `src/`, in Vitest's own process: no other knows which mutant is active. */
export interface Area {
  tests: string[]
  /** The project of vitest.config.ts whose version of Drizzle is used. */
  project?: string
}

const inFolder =
  (folder: string, ending = '') =>
  (...names: string[]): Area => ({ tests: names.map((name) => `${folder}/${name}${ending}`) })

const query = inFolder('query')
const secrets = inFolder('secrets', '.unit')
const authjs = inFolder('authjs', '.unit')
const doctor = inFolder('doctor', '.unit')
const cli = inFolder('cli')
const moving = inFolder('moving', '.unit')

/** By the path with which the files of the area begin. A file belongs to the area with the longest one. */
export const areas: Record<string, Area> = {
  'src/': query('adapter', 'batches', 'definitions', 'detect', 'entry-points', 'expired', 'options', 'tables'),
  'src/checks.ts': query('checks', 'definitions', 'options'),
  'src/extensions.ts': query('extensions', 'session-extensions'),

  'src/query/': query('detection', 'dialect', 'digest', 'retry'),
  'src/query/co': query('codec*', 'columns'),
  'src/query/errors.ts': query('errors', 'failure-codes', 'failures'),
  'src/query/failures.ts': query('errors', 'failure-codes', 'failures'),
  'src/query/r': query('extensions', 'retry', 'returning', 'rows', 'session-extensions', 'statement-failures', 'statements'),
  'src/query/statements.ts': query('returning', 'rows', 'statement-failures', 'statements'),

  'src/pg/': query('defined-tables', 'definitions', 'entry-points', 'tables'),
  'src/pg/dialect.ts': query('delete-user', 'failure-codes', 'pg-dialect'),
  'src/mysql/': query('defined-tables', 'definitions', 'entry-points', 'tables'),
  'src/mysql/d': query('delete-user', 'failure-codes', 'mysql-*'),
  'src/mysql/text.ts': query('mysql-*'),
  'src/sqlite/': query('defined-tables', 'definitions', 'entry-points', 'tables'),
  'src/sqlite/dialect.ts': query('failure-codes', 'sqlite-delete-user', 'sqlite-dialect'),
  'src/sqlite/libsql.ts': query('libsql'),

  'src/relations/': { tests: ['drizzle-0.45/relations'] },
  'src/relations/v2.ts': { tests: ['drizzle-1.0/relations'], project: 'drizzle 1.0' },

  'src/secrets/': secrets('columns', 'count', 'protect', 'rewrite', 'tables', 'walk'),
  'src/secrets/accounts.ts': secrets('accounts', 'rows'),
  'src/secrets/cipher.ts': secrets('cipher', 'encoding'),
  'src/secrets/encoding.ts': secrets('cipher', 'encoding'),
  'src/secrets/options.ts': secrets('options'),
  'src/secrets/se': secrets('options', 'rows', 'sessions', 'tables'),

  'src/authjs/': authjs('fresh-tokens', 'refresh-with', 'tokens'),
  'src/authjs/access-tokens.ts': authjs('access-tokens', 'leases'),
  'src/authjs/lease.ts': authjs('access-tokens', 'leases'),
  'src/authjs/credential-sessions.ts': authjs('credential-sessions'),

  'src/doctor/': doctor('examine', 'key-checks', 'row-checks', 'subject'),
  'src/doctor/checks/': doctor('column-checks', 'key-checks', 'row-checks'),
  'src/doctor/pg.ts': doctor('pg', 'types'),
  'src/doctor/mysql.ts': doctor('mysql', 'types'),
  'src/doctor/sqlite.ts': doctor('sqlite', 'types'),

  'src/cli/': cli(
    'check',
    'connection',
    'database',
    'drivers',
    'failures',
    'main',
    'migrations',
    'progress',
    'questions',
    'signals',
    'tables',
  ),
  'src/cli/doctor.ts': cli('doctor'),
  'src/cli/expired.ts': cli('expired'),
  'src/cli/index.ts': cli('entry'),
  'src/cli/keys.ts': cli('keys'),
  'src/cli/modules.ts': cli('modules'),
  'src/cli/options.ts': cli('options'),
  'src/cli/patterns.ts': cli('patterns'),
  'src/cli/rewriting.ts': cli('rewriting'),
  'src/cli/secrets.ts': cli('secrets'),
  'src/cli/settings.ts': cli('settings'),
  'src/cli/sweep.ts': cli('sweep'),
  'src/cli/tls.ts': cli('tls'),
  'src/cli/url.ts': cli('url'),

  'src/cli/init': cli('init-command', 'init-layout', 'init-plan'),
  'src/cli/init/choices.ts': cli('init-choices'),
  'src/cli/init/drivers.ts': cli('init-choices', 'init-drivers'),
  'src/cli/init/frameworks.ts': cli('init-frameworks'),
  'src/cli/init/project.ts': cli('init-project'),
  'src/cli/init/report.ts': cli('init-report'),
  'src/cli/init/tables.ts': cli('init-tables'),

  'src/cli/moving/': moving('definition', 'script', 'successors'),
  'src/cli/moving/alter.ts': moving('alter', 'references'),
  'src/cli/moving/catalog.ts': moving('catalog', 'plan', 'references', 'rows', 'stored-values', 'too-long'),
  'src/cli/moving/declared.ts': moving('declared', 'plan'),
  'src/cli/moving/model.ts': moving('declared', 'plan'),
  'src/cli/moving/mysql.ts': moving('mysql', 'mysql-changes'),
  'src/cli/moving/pg.ts': moving('pg'),
  'src/cli/moving/plan.ts': moving('catalog', 'plan', 'references', 'rows', 'stored-values', 'too-long'),
  'src/cli/moving/rows.ts': moving('plan', 'references', 'rows', 'stored-values', 'too-long'),
  'src/cli/moving/sqlite.ts': moving('rebuild', 'sqlite'),
}
