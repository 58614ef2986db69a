import { expect, inject, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../support/databases.js'
import { extensions, operations, seedPerson } from '../../support/operations.js'

// What a person would not write: casts, conversions, collations, and functions.
const unusual = /::|\b(cast|convert|collate|binary|case|coalesce|trim)\b|\w\((?!\d+\))/i

test.each(inject('dialects'))('on the tables of defineTables, each statement is one that a person would write: %s', async (dialect) => {
  const log: { statement: string; parameters: unknown[] }[] = []
  const logger = { logQuery: (statement: string, parameters: unknown[]) => void log.push({ statement, parameters }) }
  const { adapter: createAdapter, close } = await openDatabase(dialect, { logger })
  onTestFinished(close)
  const adapter = createAdapter()
  // On MySQL, the first statement checks the settings of the connection.
  await adapter.getUser('nobody')
  const { deleteUser: _, ...others } = operations
  for (const [name, operation] of Object.entries({ ...others, ...extensions })) {
    const person = await seedPerson(adapter, operation)
    log.length = 0
    await operation.run(adapter, person)
    expect(log, name).not.toEqual([])
    for (const { statement, parameters } of log) {
      expect(statement.replaceAll(/(values|in|insert into \S+) \(/g, '$1 '), name).not.toMatch(unusual)
      // Each value is one parameter, and readable in the log.
      const objects = parameters.filter((value) => Object(value) === value)
      expect(objects, name).toEqual([])
      const fewest = /^insert/.test(statement) ? 2 : parameters.length
      expect(new Set(parameters).size, `${name}: ${statement}`).toBeGreaterThanOrEqual(fewest)
    }
  }
})
