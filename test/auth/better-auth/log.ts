interface Entry {
  readonly statement: string
  readonly params: readonly unknown[]
}

/** Notes the statements that a database runs from now on, with their parameters. The check of MySQL's settings is left out. */
export function logOf(db: object): Entry[] {
  const log: Entry[] = []
  const { session } = db as { session: { logger: { logQuery(statement: string, params: unknown[]): void } } }
  session.logger = {
    logQuery: (statement, params) => {
      if (!statement.includes('@@sql_mode')) log.push({ statement, params })
    },
  }
  return log
}
