import { createServer } from 'node:http'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { auth } from './auth.js'

const port = Number(process.env.PORT ?? 3000)
const handleAuth = toNodeHandler(auth)

createServer(async (request, response) => {
  // Without catch, a malformed request would end the process.
  try {
    if (request.url?.startsWith('/api/auth/')) return await handleAuth(request, response)
    const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
    response.end(session ? `Signed in as ${session.user.email}` : 'Nobody is signed in')
  } catch (error) {
    console.error(error)
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
}).listen(port, () => console.log(`http://localhost:${port}`))
