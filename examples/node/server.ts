import { createServer } from 'node:http'
import { handleAuth } from './auth.js'

const port = Number(process.env.PORT ?? 3000)
// Links in mails begin with it. Replace it by the public address of your app.
const origin = `http://localhost:${port}`

async function answer(request: Request): Promise<Response> {
  if (new URL(request.url).pathname.startsWith('/auth/')) return handleAuth(request)
  const session = await (await handleAuth(new Request(`${origin}/auth/session`, { headers: request.headers }))).json()
  return new Response(session ? `Signed in as ${session.user.email}` : 'Nobody is signed in. Open /auth/signin')
}

// Converts Node.js requests to web requests, and web responses to Node.js responses.
createServer(async (incoming, outgoing) => {
  const { method = 'GET', url: target = '' } = incoming
  // Only paths. With //example.com/auth/signin, links in mails would lead to example.com.
  if (!/^\/(?!\/)/.test(target)) return void outgoing.writeHead(400).end()
  // Without catch, a malformed request would end the process.
  try {
    const chunks = []
    for await (const chunk of incoming) chunks.push(chunk)
    const request = new Request(new URL(origin + target), {
      method,
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
      body: method === 'GET' || method === 'HEAD' ? null : Buffer.concat(chunks),
    })
    const response = await answer(request)
    const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
    const body = Buffer.from(await response.arrayBuffer())
    outgoing.writeHead(response.status, { ...Object.fromEntries(headers), 'set-cookie': response.headers.getSetCookie() }).end(body)
  } catch (error) {
    console.error(error)
    if (!outgoing.headersSent) outgoing.writeHead(500)
    outgoing.end()
  }
}).listen(port, () => console.log(`${origin}/auth/signin`))
