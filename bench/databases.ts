/** The databases that are measured. MariaDB and MySQL have the same dialect. */
export const databaseNames = ['sqlite', 'pg', 'mariadb', 'mysql'] as const

export type DatabaseName = (typeof databaseNames)[number]
export type DialectName = 'sqlite' | 'pg' | 'mysql'

export const dialectOf: Record<DatabaseName, DialectName> = { sqlite: 'sqlite', pg: 'pg', mariadb: 'mysql', mysql: 'mysql' }

export const databaseTitles: Record<DatabaseName, string> = { sqlite: 'SQLite', pg: 'PostgreSQL', mariadb: 'MariaDB', mysql: 'MySQL' }

/** The drivers of all contenders, except for Kysely on PostgreSQL, which has no dialect for postgres.js. */
export const drivers: Record<DialectName, string> = { sqlite: 'better-sqlite3', pg: 'postgres', mysql: 'mysql2' }
