/** The databases that are measured; two of them speak one dialect. */
export const databaseNames = ['sqlite', 'pg', 'mariadb', 'mysql'] as const

export type DatabaseName = (typeof databaseNames)[number]
export type DialectName = 'sqlite' | 'pg' | 'mysql'

export const dialectOf: Record<DatabaseName, DialectName> = { sqlite: 'sqlite', pg: 'pg', mariadb: 'mysql', mysql: 'mysql' }

export const databaseTitles: Record<DatabaseName, string> = { sqlite: 'SQLite', pg: 'PostgreSQL', mariadb: 'MariaDB', mysql: 'MySQL' }

/** How every contender reaches the database, but for Kysely, which has no dialect for postgres.js. */
export const drivers: Record<DialectName, string> = { sqlite: 'better-sqlite3', pg: 'postgres', mysql: 'mysql2' }
