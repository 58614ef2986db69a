// npm run pages: writes the pages that show recorded results.
import { runTool } from '../../test/support/tool.js'
import { writePages } from './index.js'

runTool(writePages)
