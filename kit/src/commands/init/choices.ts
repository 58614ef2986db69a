import { pageUrl } from '../../doctor/finding.js'
import type { Context } from '../command.js'
import { Problem } from '../command.js'
import { oneOf } from '../options.js'
import { askFor } from '../questions.js'
import type { DriverChoice } from './drivers.js'
import { dialectAliases, dialectNames, dialectOf, drivers } from './drivers.js'
import type { Framework, Library } from './libraries.js'
import { libraries } from './libraries.js'
import type { Project } from './project.js'
import { findModule } from './project.js'
import { authPlaces } from './tables.js'

export interface Flags {
  library?: string | undefined
  dialect?: string | undefined
  driver?: string | undefined
  framework?: string | undefined
}

/** A decision, and what it is based on. */
interface Found<T> {
  value: T
  from: string
}

export interface Choices {
  library: Library
  driver: DriverChoice
  framework: Framework
}

export type Decisions = { [K in keyof Choices]: Found<Choices[K]> }

type Ask = Context['ask']

const namesOf = (all: readonly { name: string }[]) => all.map(({ name }) => name)
const named = <T extends { name: string }>(all: readonly T[], name: string) => all.find((each) => each.name === name) as T
const given = <T extends { name: string }>(all: readonly T[], option: string, name: string): Found<T> => ({
  value: named(all, oneOf(option, name, namesOf(all))),
  from: option,
})

export async function decide(project: Project, flags: Flags, ask: Ask): Promise<Decisions> {
  const library = await findLibrary(project, flags.library, ask)
  await refuseOfficial(project, library.value)
  const framework = findFramework(project, library.value, flags.framework)
  const word = flags.dialect?.toLowerCase() ?? ''
  const dialect = Object.hasOwn(dialectAliases, word) ? dialectAliases[word] : flags.dialect
  const driver = await findDriver(project, dialect, flags.driver, ask)
  if (driver.value.perRequest && !framework.value.perRequest) {
    const titles = `${library.value.title} and ${framework.value.title}`
    throw new Problem(`init cannot write an auth.ts for D1 with ${titles}. Pass another --driver or --framework.`, 2)
  }
  return { library, driver, framework }
}

/** Throws if the app already has tables of the official adapter, and says how to use this package there. */
async function refuseOfficial({ cwd, packages, manager }: Project, { official, configuration }: Library): Promise<void> {
  const auth = await findModule(cwd, authPlaces, configuration)
  if (!official.uses.test([...Object.keys(packages), auth?.text].join(' '))) return
  throw new Problem(
    `this app uses ${official.name}, so it already has its tables. Nothing was written. To switch, change the import:

  ${manager} ${manager === 'npm' ? 'install' : 'add'} drizzle-auth-adapter
  ${official.lines}

Your tables stay, and users stay signed in. All steps: ${pageUrl(official.page)}
If the app no longer uses it, remove it and run init again.`,
    2,
  )
}

/** The library to set up: as the option says, or the one that the app uses. */
async function findLibrary({ packages, cwd }: Project, name: string | undefined, ask: Ask): Promise<Found<Library>> {
  if (name !== undefined) return given(libraries, '--library', name)
  const installed = libraries.filter((each) => Object.keys(packages).some((name) => each.packages.test(name)))
  const [only] = installed
  if (only && installed.length === 1) return { value: only, from: 'package.json' }
  for (const library of libraries) {
    const configured = await findModule(cwd, authPlaces, library.configuration)
    if (configured) return { value: library, from: configured.file }
  }
  if (ask) return { value: named(libraries, await askFor(ask, 'Which library?', namesOf(libraries))), from: 'your answer' }
  const why = only ? 'package.json has both' : 'the default'
  return { value: named(libraries, 'authjs'), from: `${why}; use --library to choose another` }
}

function findFramework({ packages }: Project, { frameworks }: Library, name: string | undefined): Found<Framework> {
  if (name !== undefined) return given(frameworks, '--framework', name)
  const found = frameworks.find((each) => each.package && each.package in packages)
  return found ? { value: found, from: 'package.json' } : { value: named(frameworks, 'none'), from: 'use --framework to choose one' }
}

async function findDriver(project: Project, dialect: string | undefined, name: string | undefined, ask: Ask): Promise<Found<DriverChoice>> {
  if (name !== undefined) {
    const found = given(drivers, '--driver', name)
    if (dialect !== undefined && dialectOf[oneOf('--dialect', dialect, dialectNames)] !== found.value.dialect)
      throw new Problem('--driver and --dialect do not match.', 2)
    return found
  }
  const { packages, config, d1 } = project
  const usesD1 = d1 !== undefined || config?.driver === 'd1-http'
  const installed = drivers.filter((each) => each.name in packages || (each.name === 'd1' && usesD1))
  const found = findDialect(project, dialect, installed) ?? (await askForDialect(ask))
  if (config?.dialect === 'turso' && found.value === 'sqlite') return { value: named(drivers, '@libsql/client'), from: found.from }
  const ofDialect = (all: readonly DriverChoice[]) => all.filter((each) => each.dialect === dialectOf[found.value])
  const used = ofDialect(installed)
  const [first = named(drivers, 'd1')] = used.length > 0 ? used : ofDialect(drivers)
  if (used.length === 1) return { value: first, from: first.perRequest ? found.from : 'package.json' }
  const names = namesOf(used.length > 0 ? used : ofDialect(drivers))
  if (ask) return { value: named(drivers, await askFor(ask, 'Which driver?', names, first.name)), from: 'your answer' }
  const why = used.length > 0 ? 'package.json has several' : 'the default'
  return { value: first, from: `${why}; use --driver to choose another` }
}

type Dialect = keyof typeof dialectOf

function findDialect({ config, d1 }: Project, given: string | undefined, installed: DriverChoice[]): Found<Dialect> | undefined {
  if (given !== undefined) return { value: oneOf('--dialect', given, dialectNames), from: '--dialect' }
  if (config?.dialect !== undefined) {
    const value = config.dialect === 'turso' ? 'sqlite' : dialectNames.find((name) => name === config.dialect)
    if (value === undefined)
      throw new Problem(`the dialect in ${config.file} is not supported. Supported are ${dialectNames.join(', ')}.`, 2)
    return { value, from: config.file }
  }
  const [value, other] = dialectNames.filter((name) => installed.some(({ dialect }) => dialect === dialectOf[name]))
  return value && !other ? { value, from: d1 ?? 'package.json' } : undefined
}

async function askForDialect(ask: Ask): Promise<Found<Dialect>> {
  if (!ask) throw new Problem(`no database given. Pass --dialect with ${dialectNames.join(', ').replace(/, (\w+)$/, ' or $1')}.`, 2)
  return { value: await askFor(ask, 'Which database?', dialectNames, undefined, dialectAliases), from: 'your answer' }
}
