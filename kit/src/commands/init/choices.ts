import { pageUrl } from '../../doctor/finding.js'
import type { Prompts } from '../command.js'
import { Problem } from '../command.js'
import { oneOf } from '../options.js'
import type { Driver } from './drivers.js'
import { dialectNames, drivers } from './drivers.js'
import type { Framework, Library } from './libraries.js'
import { libraries } from './libraries.js'
import type { Project } from './project.js'
import { authPlaces, commands, findModule } from './project.js'

type Flags = Partial<Record<'library' | 'dialect' | 'driver' | 'framework', string | undefined>>

export interface Choices {
  library: Library
  framework: Framework
  driver: Driver
}

const namesOf = (all: readonly { name: string }[]) => all.map(({ name }) => name)

/** The one with this name, which the user has chosen. */
function named<T extends { name: string }>(all: readonly T[], name: string, option: string): T {
  const chosen = oneOf(option, name, namesOf(all))
  return all.find((each) => each.name === chosen) as T
}

export async function choose(project: Project, flags: Flags, prompts: Prompts | undefined): Promise<Choices> {
  const library = flags.library ? named(libraries, flags.library, '--library') : await findLibrary(project, prompts)
  await refuseOfficial(project, library)
  const { frameworks } = library
  const used = frameworks.find((each) => each.package && each.package in project.packages)
  const framework = used && !flags.framework ? used : named(frameworks, flags.framework ?? 'none', '--framework')
  const driver = await findDriver(project, flags, prompts)
  if (driver.perRequest && !framework.perRequest) {
    const titles = `${library.title} and the framework ${framework.title}`
    throw new Problem(`init cannot write an auth.ts for D1 with ${titles}. Pass another --driver or --framework.`, 2)
  }
  return { library, framework, driver }
}

/** Throws if the app already has tables of the official adapter, and says how to use this package there. */
async function refuseOfficial({ cwd, packages, manager }: Project, { official, configuration }: Library): Promise<void> {
  const auth = await findModule(cwd, authPlaces, configuration)
  if (!official.uses.test([...Object.keys(packages), auth?.text].join(' '))) return
  throw new Problem(
    `this app uses ${official.name}, so it already has its tables. Nothing was written. To switch, change the import:

  ${commands[manager].add} drizzle-auth-adapter
  ${official.replacement}

Your tables stay, and users stay signed in. All steps: ${pageUrl(official.page)}
If the app no longer uses it, remove it and run init again.`,
    2,
  )
}

async function findLibrary({ packages, cwd }: Project, prompts: Prompts | undefined): Promise<Library> {
  const installed = libraries.filter((each) => Object.keys(packages).some((name) => each.packages.test(name)))
  if (installed[0] && installed.length === 1) return installed[0]
  for (const library of libraries) if (await findModule(cwd, authPlaces, library.configuration)) return library
  return named(libraries, prompts ? await prompts.select('Which library?', namesOf(libraries)) : 'authjs', '--library')
}

async function findDriver({ packages, config, d1 }: Project, flags: Flags, prompts: Prompts | undefined): Promise<Driver> {
  const dialect = flags.dialect ? oneOf('--dialect', flags.dialect, dialectNames) : config?.dialect
  const ofDialect = drivers.filter((each) => !dialect || each.kitDialect === dialect || (dialect === 'sqlite' && each.dialect === 'sqlite'))
  if (ofDialect.length === 0)
    throw new Problem(`the dialect in ${config?.file} is not supported. Supported are ${dialectNames.join(', ')}.`, 2)
  if (flags.driver) {
    const driver = named(drivers, flags.driver, '--driver')
    if (flags.dialect && !ofDialect.includes(driver)) throw new Problem('--driver and --dialect do not match.', 2)
    return driver
  }
  const installed = ofDialect.filter((each) => each.name in packages || (each.perRequest && (d1 || config?.driver === 'd1-http')))
  const possible = installed.length > 0 ? installed : ofDialect
  if (prompts && possible.length > 1) return named(possible, await prompts.select('Which driver?', namesOf(possible)), '--driver')
  const [first] = possible
  if (!first || possible.some((each) => each.dialect !== first.dialect))
    throw new Problem(`no database given. Pass --dialect with ${dialectNames.join(', ').replace(/, (\w+)$/, ' or $1')}.`, 2)
  return first
}
