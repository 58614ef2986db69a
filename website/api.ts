// Writes the API reference to website/api/, from the doc comments of the package's entry points. Fails if a public name has none.

import type { TypeDocOptions } from 'typedoc'
import { Application, Converter } from 'typedoc'
import type { PluginOptions } from 'typedoc-plugin-markdown'
import { entryPoints, name, root } from './.vitepress/package.js'

const folder = `${root}/website/api`

const options: TypeDocOptions & PluginOptions = {
  name: 'API',
  entryPoints: entryPoints.map(({ source }) => `${root}/${source}`),
  tsconfig: `${root}/tsconfig.build.json`,
  plugin: ['typedoc-plugin-markdown'],
  out: folder,
  cleanOutputDir: true,
  readme: 'none',
  disableSources: true,
  excludeExternals: true,
  excludeInternal: true,
  excludePrivate: true,
  validation: { notDocumented: true, notExported: false, invalidLink: true },
  requiredToBeDocumented: ['Module', 'Class', 'Interface', 'TypeAlias', 'Function', 'Variable', 'Method'],
  logLevel: 'Warn',
  router: 'module',
  // Members of two classes may have the same name, so each needs its own anchor.
  useHTMLAnchors: true,
  groupOrder: ['Functions', 'Variables', 'Classes', '*'],
  entryFileName: 'index',
  hidePageHeader: true,
  hideBreadcrumbs: true,
  useCodeBlocks: true,
  indexFormat: 'table',
  expandObjects: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  propertyMembersFormat: 'table',
}

const app = await Application.bootstrapWithPlugins(options)
// TypeDoc names a module after its file. Users know it by the name that they import.
app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
  for (const module of project.children ?? []) {
    const entry = entryPoints.find(({ source }) => [`src/${module.name}.ts`, `src/${module.name}/index.ts`].includes(source))
    if (!entry) throw new Error(`The module ${module.name} is not an entry point of ${name}`)
    module.name = entry.name
  }
})
const project = await app.convert()
if (!project) throw new Error('The sources do not compile.')
app.validate(project)
const hasProblems = () => app.logger.hasErrors() || app.logger.hasWarnings()
if (!hasProblems()) await app.generateOutputs(project)
if (hasProblems()) process.exitCode = 1
