import type { FailureCodes, FailureRules } from '../query/failures.js'

const unpreparedPooler = 'the connection pooler does not support prepared statements: set prepare: false in postgres.js'

// SQLSTATE codes, and messages of postgres.js and node-postgres for failures that the server did not report.
const codes: FailureCodes = [
  [/^23505$/, 'duplicate'], // unique_violation
  [/^23503$/, 'reference'], // foreign_key_violation
  [/^23001$/, 'still-referenced'], // restrict_violation
  [/^23502$/, 'missing-value'], // not_null_violation
  [/^(22001|54000)$/, 'too-long'], // string_data_right_truncation, program_limit_exceeded
  [/^22\w{3}$|^23514$/, 'invalid'], // data exceptions, check_violation
  // serialization_failure, deadlock_detected, lock_not_available: rolled back. The outcome of statement_completion_unknown is not known.
  [/^(40001|40P01|55P03)$/, 'conflict', { retry: 'always' }],
  [/^(40\w{3}|25P02)$/, 'conflict'], // in_failed_sql_transaction: the app's transaction failed before.
  [/^(57014|25P0[34])$|^Query read timeout$/, 'timeout'], // query_canceled, idle_in_transaction_session_timeout, transaction_timeout
  // cannot_connect_now, too_many_connections, sqlclient_unable_to_establish_sqlconnection: there was no session.
  [/^(57P03|53300|0800[14])$/, 'unreachable', { retry: 'always' }],
  // The driver could not connect in time, or all connections of its pool were in use.
  [/^CONNECT_TIMEOUT$|^timeout exceeded when trying to connect$|^Connection terminated due to/, 'unreachable', { retry: 'connected' }],
  // admin_shutdown, crash_shutdown, idle_session_timeout, connection_failure: the session ended, possibly while the statement ran.
  [/^(57P0[125]|0800[036]|CONNECTION_CLOSED)$|^Connection terminated unexpectedly$/, 'unreachable', { retry: 'reads' }],
  // The app has closed the pool, so a retry would fail, too.
  [/^(08\w{3}|57P0\d|CONNECTION_\w+)$|^Connection terminated|pool after calling end/, 'unreachable'],
  // The server does not support TLS, or requires it: messages of node-postgres and of pg_hba.conf.
  [/does not support SSL connections|no pg_hba\.conf entry .*(no encryption|SSL off)|before secure TLS connection was established/, 'tls'],
  [/^28\w{3}$/, 'login'], // invalid_password, invalid_authorization_specification
  [/^42501$/, 'denied'], // insufficient_privilege
  [/^25006$/, 'read-only'], // read_only_sql_transaction
  [/^53[12]00$/, 'full'], // disk_full, out_of_memory
  [/^3D000$/, 'no-database'], // invalid_catalog_name
  // duplicate_prepared_statement, invalid_sql_statement_name: a pooler that does not support prepared statements shares the connections.
  [/^(42P05|26000)$/, 'settings', { hint: unpreparedPooler }],
  [/^(42P01|42703|3F000)$/, 'schema'], // undefined_table, undefined_column, invalid_schema_name
]

export const failures: FailureRules = {
  codes,

  // postgres.js appends `_name` to the names of properties, and in Bun the `column` of an error is a place in the source. A trigger can
  // raise the same codes with any names: the routines are PostgreSQL's own.
  namesIn(error) {
    const { routine, detail, message, table_name, table = table_name, constraint_name, constraint = constraint_name } = error
    const column = [error.column_name, error.column].find((each) => typeof each === 'string')
    if (routine === 'ri_ReportViolation') {
      // `Key (deviceId)=(…) is not present in table "device".`
      const [, columns = ''] = /\(([^()]+)\)=\(/.exec(String(detail)) ?? []
      return { possible: columns.replaceAll('"', '').split(', '), table, constraint }
    }
    // A trigger can raise this code, too. Its names are not reliable.
    if (error.code === '23503') return { possible: [] }
    // Only the message names a missing column.
    const [, missing] = /^column "?([^"]+)"?(?: of relation .*)? does not exist$/.exec(String(message)) ?? []
    return { possible: [column, constraint, missing], column: routine === 'ExecConstraints' ? column : undefined }
  },
}
