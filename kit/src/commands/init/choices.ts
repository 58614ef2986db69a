import type { Context } from '../command.js'
import { Problem } from '../command.js'
import { oneOf } from '../options.js'
import { askFor } from '../questions.js'
import { authjs } from './authjs.js'
import { betterAuth } from './better-auth.js'
import type { DriverChoice } from './drivers.js'
import { dialectAliases, dialectNames, dialectOf, drivers } from './drivers.js'
import type { Framework } from './frameworks.js'
import { authPlaces, findModule } from './layout.js'
import type { Library } from './library.js'
import type { Project } from './project.js'

export interface Flags {
  library?: string | undefined
  dialect?: string | undefined
  driver?: string | undefined
  framework?: string | undefined
}

/** A decision, and what it is based on. */
export interface Found<T> {
  value: T
  from: string
}

export interface Decisions {
  library: Found<Library>
  driver: Found<DriverChoice>
  framework: Found<Framework>
}

type Dialect = (typeof dialectNames)[number]

const libraries = [authjs, betterAuth]
export const libraryNames = libraries.map(({ name }) => name)

/** The library to set up: as the option says, or the one that the app uses. */
export async function findLibrary({ packages, cwd }: Project, given: string | undefined, ask: Context['ask']): Promise<Found<Library>> {
  const named = (name: string) => libraries.find((one) => one.name === name) as Library
  if (given !== undefined) return { value: named(oneOf('--library', given, libraryNames)), from: '--library' }
  const found = libraries.filter(({ hasPackage }) => Object.keys(packages).some(hasPackage))
  const [only] = found
  if (only && found.length === 1) return { value: only, from: 'package.json' }
  const configured = await findModule(cwd, authPlaces, (text) => libraries.some(({ isConfiguration }) => isConfiguration(text)))
  const [used, other] = configured ? libraries.filter(({ isConfiguration }) => isConfiguration(configured.text)) : []
  if (configured && used && !other) return { value: used, from: configured.file }
  if (ask) return { value: named(await askFor(ask, 'Which library?', libraryNames)), from: 'your answer' }
  return { value: authjs, from: `${found.length > 1 ? 'package.json has both' : 'the default'}; use --library to choose another` }
}

export async function decide(project: Project, library: Found<Library>, flags: Flags, ask: Context['ask']): Promise<Decisions> {
  const framework = findFramework(project, library.value, flags.framework)
  const named = flags.dialect?.toLowerCase() ?? ''
  const dialect = Object.hasOwn(dialectAliases, named) ? dialectAliases[named] : flags.dialect
  const driver = await findDriver(project, { ...flags, dialect }, ask)
  if (driver.value.perRequest && !framework.value.auth({ driver: driver.value, usesTypeScript: true, schema: '', db: '' }))
    throw new Problem(
      `init cannot write an auth.ts for D1 with ${library.value.title} and ${framework.value.title}. Pass another --driver or --framework.`,
      2,
    )
  return { library, driver, framework }
}

function findFramework({ packages }: Project, { frameworks }: Library, given: string | undefined): Found<Framework> {
  const named = (name: string) => frameworks.find((one) => one.name === name) as Framework
  if (given !== undefined) {
    const names = frameworks.map(({ name }) => name)
    return { value: named(oneOf('--framework', given, names)), from: '--framework' }
  }
  const found = frameworks.find((one) => one.package && one.package in packages)
  return found ? { value: found, from: 'package.json' } : { value: named('none'), from: 'use --framework to choose one' }
}

async function findDriver(project: Project, flags: Flags, ask: Context['ask']): Promise<Found<DriverChoice>> {
  const named = (name: string) => drivers.find((one) => one.name === name) as DriverChoice
  if (flags.driver !== undefined) {
    const names = drivers.map(({ name }) => name)
    const value = named(oneOf('--driver', flags.driver, names))
    if (flags.dialect !== undefined && dialectOf[oneOf('--dialect', flags.dialect, dialectNames)] !== value.dialect)
      throw new Problem('--driver and --dialect do not match.', 2)
    return { value, from: '--driver' }
  }
  const installed = drivers.filter(({ name }) => name in project.packages || (name === 'd1' && usesD1(project)))
  const dialect = findDialect(project, flags.dialect, installed) ?? (await askForDialect(ask))
  const isTurso = project.config?.dialect === 'turso' && dialect.value === 'sqlite'
  const fitting = drivers.filter((one) => one.dialect === dialectOf[dialect.value])
  const found = isTurso ? [named('@libsql/client')] : installed.filter((one) => fitting.includes(one))
  const [only] = found
  if (only && found.length === 1) return { value: only, from: isTurso || only.name === 'd1' ? dialect.from : 'package.json' }
  const possible = found.length > 0 ? found : fitting
  const [first] = possible as [DriverChoice]
  if (!ask)
    return {
      value: first,
      from: found.length > 0 ? 'package.json has several; use --driver to choose another' : 'the default; use --driver to choose another',
    }
  const answer = await askFor(
    ask,
    'Which driver?',
    possible.map(({ name }) => name),
    first.name,
  )
  return { value: named(answer), from: 'your answer' }
}

const usesD1 = ({ d1, config }: Project) => d1 !== undefined || config?.driver === 'd1-http'

function findDialect({ config, d1 }: Project, given: string | undefined, installed: DriverChoice[]): Found<Dialect> | undefined {
  if (given !== undefined) return { value: oneOf('--dialect', given, dialectNames), from: '--dialect' }
  if (config?.dialect !== undefined) {
    const value = config.dialect === 'turso' ? 'sqlite' : dialectNames.find((name) => name === config.dialect)
    if (value === undefined)
      throw new Problem(`the dialect in ${config.file} is not supported. Supported are ${dialectNames.join(', ')}.`, 2)
    return { value, from: config.file }
  }
  const dialects = new Set(installed.map(({ dialect }) => dialect))
  const value = dialectNames.find((name) => dialects.has(dialectOf[name]))
  return value && dialects.size === 1 ? { value, from: d1 ?? 'package.json' } : undefined
}

async function askForDialect(ask: Context['ask']): Promise<Found<Dialect>> {
  if (!ask) throw new Problem(`no database given. Pass --dialect with ${dialectNames.join(', ').replace(/, (\w+)$/, ' or $1')}.`, 2)
  return { value: await askFor(ask, 'Which database?', dialectNames, undefined, dialectAliases), from: 'your answer' }
}
