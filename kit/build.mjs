// Copies the files of the examples that `init` reads into the build.
import { cpSync } from 'node:fs'
import { exampleFiles } from './dist/commands/init/examples.js'

for (const file of exampleFiles) cpSync(new URL(`../examples/${file}`, import.meta.url), new URL(`dist/examples/${file}`, import.meta.url))
