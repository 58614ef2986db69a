import type { Context } from './command.js'
import type { Opened } from './database.js'
import { openDatabase } from './database.js'
import { explain } from './failures.js'
import type { Settings } from './settings.js'
import { findSettings } from './settings.js'

/** What every command that opens a database was given. */
interface Given {
  url?: string | undefined
  schema?: string | undefined
  quiet: boolean
  /** Tables are named by options, so that a schema that cannot be read does not matter. */
  names?: boolean
}

/** What a command works with. */
export interface Work {
  opened: Opened
  settings: Settings
  /** Prints a line to the standard error, unless the command is to be quiet. */
  say(line: string): void
}

/** Opens the database of a command, runs the work and closes it. An error says what to do next; `advice` replaces the general advice for a kind of error. */
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
  if (settings.unread && !given.names) say(`${settings.unread.message}\nIts schema is not used.`)
  const opened = await openDatabase(settings)
  try {
    return await work({ opened, settings, say })
  } catch (error) {
    throw explain(error, settings.target, advice)
  } finally {
    await opened.close()
  }
}
