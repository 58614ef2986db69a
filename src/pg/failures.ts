import type { ErrorProperties, FailureCodes, FailureRules } from '../query/failures.js'
import { connectionCodes } from '../query/failures.js'

// SQLSTATE codes, and what postgres.js and node-postgres say where the server said nothing.
const codes: FailureCodes = [
  // unique_violation
  [/^23505$/, 'duplicate'],
  // foreign_key_violation
  [/^23503$/, 'reference'],
  // restrict_violation
  [/^23001$/, 'still-referenced'],
  // not_null_violation
  [/^23502$/, 'missing-value'],
  // string_data_right_truncation, program_limit_exceeded
  [/^(22001|54000)$/, 'too-long'],
  // data exceptions, check_violation
  [/^22\w{3}$|^23514$/, 'invalid'],
  // serialization_failure, deadlock_detected, lock_not_available: rolled back. The outcome of statement_completion_unknown is not known.
  [/^(40001|40P01|55P03)$/, 'conflict', 'always'],
  // in_failed_sql_transaction: the app's transaction failed before.
  [/^(40\w{3}|25P02)$/, 'conflict'],
  // query_canceled, idle_in_transaction_session_timeout, transaction_timeout
  [/^(57014|25P0[34])$|^Query read timeout$/, 'timeout'],
  // cannot_connect_now, too_many_connections, sqlclient_unable_to_establish_sqlconnection: there was no session.
  [/^(57P03|53300|0800[14])$/, 'unreachable', 'always'],
  // The driver could not connect in time, or its pool had no connection to spare.
  [/^CONNECT_TIMEOUT$|^timeout exceeded when trying to connect$|^Connection terminated due to/, 'unreachable', 'connected'],
  // admin_shutdown, crash_shutdown, idle_session_timeout, connection_failure: the session ended, possibly while the statement ran.
  [/^(57P0[125]|0800[036]|CONNECTION_CLOSED)$|^Connection terminated unexpectedly$/, 'unreachable', 'reads'],
  // A pool that the app closed is no reason to try again.
  [/^(08\w{3}|57P0\d|CONNECTION_\w+)$|^Connection terminated|pool after calling end/, 'unreachable'],
  // The server has no TLS, or insists on it, in the words of node-postgres and of pg_hba.conf.
  [/does not support SSL connections|no pg_hba\.conf entry .*(no encryption|SSL off)|before secure TLS connection was established/, 'tls'],
  // invalid_password, invalid_authorization_specification
  [/^28\w{3}$/, 'login'],
  // insufficient_privilege
  [/^42501$/, 'denied'],
  // read_only_sql_transaction
  [/^25006$/, 'read-only'],
  // disk_full, out_of_memory
  [/^53[12]00$/, 'full'],
  // invalid_catalog_name
  [/^3D000$/, 'no-database'],
  // duplicate_prepared_statement, invalid_sql_statement_name: connections are shared by a pooler that does not know prepared statements.
  [
    /^(42P05|26000)$/,
    'settings',
    undefined,
    'the connection pooler does not support prepared statements: set prepare: false in postgres.js, and leave out namedStatements',
  ],
  // undefined_table, undefined_column, invalid_schema_name
  [/^(42P01|42703|3F000)$/, 'schema'],
  ...connectionCodes,
]

export const failures: FailureRules = {
  codes,
  // A missing table or column is named in the message alone.
  names: [/^(?:column|relation) "?([^"]+)"?(?: of relation .*)? does not exist$/],

  // A trigger can raise the same code with any name.
  columnIn: ({ routine, column_name, column = column_name }) =>
    routine === 'ExecConstraints' ? (column as string | undefined) : undefined,

  // The columns stand in the detail: `Key (deviceId)=(…) is not present in table "device".`
  // A trigger can raise the same code with any names: only PostgreSQL's own are shown.
  referenceIn({ routine, table_name, table = table_name, constraint_name, constraint = constraint_name, detail }: ErrorProperties) {
    if (routine !== 'ri_ReportViolation') return {}
    const columns = /\(([^()]+)\)=\(/.exec(String(detail))?.[1]?.split(', ')
    return {
      table: table as string | undefined,
      constraint: constraint as string | undefined,
      columns: columns?.map((name) => name.replaceAll('"', '')),
    }
  },
}
