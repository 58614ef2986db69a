/** All that the adapter takes from Drizzle's root when it runs: functions that 0.45 and 1.0 have in common, in one import. */
export { and, eq, getTableColumns, getTableName, is, lt, SQL, sql } from 'drizzle-orm'
