import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { capture } from '../process.js'
import { openKeeper } from './keeper.js'
import type { Log, Server } from './server.js'
import { withKeeper } from './server.js'

const file = fileURLToPath(new URL('../../../docker-compose.yml', import.meta.url))

export interface Service {
  name: string
  port: number
  url: (port: string) => string
}

/** Starts a service of docker-compose.yml in a container. Returns undefined if Docker is not running. */
export async function startContainer(service: Service, log: Log): Promise<Server | undefined> {
  const answers = [await capture('docker', ['info']), await capture('docker', ['compose', 'version'])]
  if (answers.some(({ code }) => code !== 0)) return undefined

  const project = `auth-${service.name}-${randomBytes(6).toString('hex')}`
  const compose = (...args: string[]) => ['compose', '-p', project, '-f', file, ...args]
  log(`starting ${service.name} with docker compose, project ${project}`)
  return withKeeper(await openKeeper('auth-docker-'), async (keeper) => {
    await keeper.onStop({ command: 'docker', args: compose('down', '-v', '--timeout', '10') })
    await keeper.run({ command: 'docker', args: compose('up', '-d', '--wait', service.name) })
    const { output } = await capture('docker', compose('port', service.name, `${service.port}`))
    const port = output.match(/:(\d+)$/m)?.[1]
    if (!port) throw new Error(`docker compose gives no port for ${service.name}: ${output}`)
    log(`${service.name} answers on port ${port}`)
    keeper.release()
    return { url: service.url(port), stop: keeper.stop }
  })
}
