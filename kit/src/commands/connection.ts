import type { Context } from './command.js'
import type { Opened } from './database.js'
import { openDatabase } from './database.js'
import { explain } from './failures.js'
import type { Given as Named, Settings } from './settings.js'
import { findSettings } from './settings.js'

/** The options of every command that opens a database. */
interface Given extends Named {
  quiet: boolean
  /** Options name the tables, so a schema that cannot be read does not matter. */
  names?: boolean
}

/** What a command gets once the database is open. */
export interface Work {
  opened: Opened
  settings: Settings
  /** Prints a line to standard error, unless --quiet is set. */
  say(line: string): void
}

/** Opens the database, runs the command and closes it. Errors say what to do next: `advice` overrides the general advice by kind of error. */
export async function onDatabase(
  given: Given,
  context: Context,
  work: (work: Work) => Promise<number>,
  advice?: Parameters<typeof explain>[2],
  prepare: (settings: Settings) => void = () => {},
): Promise<number> {
  const settings = await findSettings(given, context)
  prepare(settings)
  const say = (line: string) => {
    if (!given.quiet) context.stderr.write(`${line}\n`)
  }
  if (settings.unread && !given.names) say(`${settings.unread.message}\nIts schema setting is ignored.`)
  const opened = await openDatabase(settings, context.cwd)
  try {
    return await work({ opened, settings, say })
  } catch (error) {
    throw explain(error, settings.target, advice)
  } finally {
    await opened.close()
  }
}
