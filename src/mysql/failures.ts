import type { FailureCodes, FailureRules } from '../query/failures.js'

const missingHour =
  "if it is a date in a timestamp column, the hour may not exist in the server's time zone: use datetime(3), or a time zone without summer time"

const narrowText =
  'if it is text, the character set of the column, such as latin1, cannot store it: npx drizzle-auth-kit doctor prints the SQL that changes it'

// Error numbers of MySQL and MariaDB, and messages of mysql2 for failures that the server did not report.
const codes: FailureCodes = [
  [/^(1062|1586)$/, 'duplicate'], // ER_DUP_ENTRY, ER_DUP_ENTRY_WITH_KEY_NAME
  [/^(1452|1216|1451|1217)$/, 'reference'], // ER_NO_REFERENCED_ROW_2, ER_NO_REFERENCED_ROW, ER_ROW_IS_REFERENCED_2, ER_ROW_IS_REFERENCED
  [/^(1048|1364)$/, 'missing-value'], // ER_BAD_NULL_ERROR, ER_NO_DEFAULT_FOR_FIELD
  [/^(1406|1153)$/, 'too-long'], // ER_DATA_TOO_LONG, ER_NET_PACKET_TOO_LARGE
  [/^1292$/, 'invalid', { hint: missingHour }], // ER_TRUNCATED_WRONG_VALUE
  [/^1366$/, 'invalid', { hint: narrowText }], // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD
  // ER_WARN_DATA_OUT_OF_RANGE, WARN_DATA_TRUNCATED, ER_INVALID_CHARACTER_STRING, ER_WRONG_VALUE_FOR_TYPE,
  // ER_INVALID_JSON_TEXT, ER_JSON_DOCUMENT_TOO_DEEP, ER_CHECK_CONSTRAINT_VIOLATED, ER_CANNOT_CONVERT_STRING, ER_IMPOSSIBLE_STRING_CONVERSION,
  // ER_CONSTRAINT_FAILED (MariaDB), ER_WRONG_VALUE
  [/^(1264|1265|1300|1411|1525|3140|3157|3819|3854|3988|4025)$/, 'invalid'],
  // ER_CANT_AGGREGATE_2COLLATIONS, _3COLLATIONS, _NCOLLATIONS: a key outside the character set of its column cannot be compared with it.
  [/^(1267|1270|1271)$/, 'invalid'],
  // ER_LOCK_WAIT_TIMEOUT, ER_LOCK_DEADLOCK, ER_TRANSACTION_ROLLBACK_DURING_COMMIT, ER_ERROR_DURING_COMMIT, ER_LOCK_NOWAIT, ER_CHECKREAD (MariaDB),
  // and TiDB's write conflicts: rolled back, on one server or in a cluster.
  [/^(1205|1213|3101|1180|3572|1020|8002|8005|8022|8028|9007)$/, 'conflict', { retry: 'always' }],
  [/^(1317|1969|3024|PROTOCOL_SEQUENCE_TIMEOUT)$/, 'timeout'], // ER_QUERY_INTERRUPTED, ER_STATEMENT_TIMEOUT (MariaDB), ER_QUERY_TIMEOUT
  // ER_CON_COUNT_ERROR, ER_TOO_MANY_USER_CONNECTIONS, ER_USER_LIMIT_REACHED, ER_UNKNOWN_COM_ERROR (a node that is not part of its cluster):
  // there was no session. Or all connections of the pool are in use.
  [/^(1040|1203|1226|1047|POOL_NONEONLINE)$|^(No connections available|Queue limit reached)\.$/, 'unreachable', { retry: 'always' }],
  // mysql2 gives a connection that it could not make in time the code ETIMEDOUT, too.
  [/^connect ETIMEDOUT$/, 'unreachable', { retry: 'connected' }],
  // ER_SERVER_SHUTDOWN, ER_ABORTING_CONNECTION, ER_NET_READ_INTERRUPTED, ER_NET_WRITE_INTERRUPTED, ER_CONNECTION_KILLED, CR_SERVER_GONE_ERROR,
  // CR_SERVER_LOST, ER_CLIENT_INTERACTION_TIMEOUT: the connection ended, possibly while the statement ran.
  [/^(1053|1152|1159|1161|1927|2006|2013|4031|PROTOCOL_CONNECTION_LOST)$/, 'unreachable', { retry: 'reads' }],
  // The app has closed the pool, so a retry would fail, too.
  [/^(1077|2002|2003|POOL_\w+)$|^Pool is closed|connection is in closed/, 'unreachable'],
  // ER_SECURE_TRANSPORT_REQUIRED: the server requires TLS. Or the server does not support it, or the handshake failed.
  [/^(3159|HANDSHAKE_NO_SSL_SUPPORT|HANDSHAKE_SSL_ERROR)$/, 'tls'],
  // ER_ACCESS_DENIED_ERROR, ER_ACCESS_DENIED_NO_PASSWORD_ERROR, ER_MUST_CHANGE_PASSWORD(_LOGIN), ER_ACCOUNT_HAS_BEEN_LOCKED,
  // ER_USER_ACCESS_DENIED_FOR_USER_ACCOUNT_BLOCKED_BY_PASSWORD_LOCK, ER_ACCOUNT_HAS_BEEN_LOCKED (MariaDB)
  [/^(1045|1698|1820|1862|3118|3955|4151)$/, 'login'],
  // ER_DBACCESS_DENIED_ERROR, ER_TABLEACCESS_DENIED_ERROR, ER_COLUMNACCESS_DENIED_ERROR, ER_SPECIFIC_ACCESS_DENIED_ERROR
  [/^(1044|1142|1143|1227)$/, 'denied'],
  [/^(1290|1792|1836)$/, 'read-only'], // ER_OPTION_PREVENTS_STATEMENT, ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION, ER_READ_ONLY_MODE
  [/^(1021|1114)$/, 'full'], // ER_DISK_FULL, ER_RECORD_FILE_FULL
  [/^1049$/, 'no-database'], // ER_BAD_DB_ERROR
  [/^(1054|1146)$/, 'schema'], // ER_BAD_FIELD_ERROR, ER_NO_SUCH_TABLE
]

const reference =
  /^Cannot (?:add|delete) or update a (?:child|parent) row: a foreign key constraint fails \(`[^`]*`\.`([^`]+)`, CONSTRAINT `([^`]+)` FOREIGN KEY \(([^)]+)\)/

// The last name counts: a value may stand before it. MariaDB quotes `database`.`table`.`column`.
const lastColumn = /.*\b(?:column|field) (?:[`'][^`']*[`']\.)*[`'](?:[^`']*\.)?([^`'.]+)[`']/is
const lastKey = /.*for key '(?:[^']*\.)?([^'.]+)'$/s

export const failures: FailureRules = {
  codes,
  // ER_LOCK_DEADLOCK, ER_TRANSACTION_ROLLBACK_DURING_COMMIT, ER_ERROR_DURING_COMMIT, ER_CHECKREAD (MariaDB)
  endTransaction: /^(1213|3101|1180|1020)$/,

  namesIn(error) {
    const message = String(error.message)
    const [, table, constraint, columns] = reference.exec(message) ?? []
    if (columns) return { possible: columns.replaceAll('`', '').split(', '), table, constraint }
    return { possible: [lastColumn.exec(message)?.[1], lastKey.exec(message)?.[1]] }
  },
}
