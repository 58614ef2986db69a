// npx tsx test/support/servers/cli.ts [pg] [mysql]
//
// Starts database servers and prints their URLs as settings of the environment. They run until this process ends.
import { choose, parseArguments, runTool } from '../tool.js'
import { startServers } from './index.js'

runTool(async () => {
  const { positionals } = parseArguments('cli.ts [pg] [mysql]', { allowPositionals: true })
  const { urls } = await startServers(choose(positionals, ['pg', 'mysql']))
  if (urls.pg) console.log(`PG_URL=${urls.pg}`)
  if (urls.mysql) console.log(`MYSQL_URL=${urls.mysql}`)
  await new Promise(() => setInterval(() => {}, 60_000))
})
