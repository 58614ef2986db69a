import { toNodeHandler } from 'better-auth/node'
import express from 'express'
import { auth } from '../auth.js'

const app = express()
const port = Number(process.env.PORT ?? 3000)

// Before express.json(), which would read the body. With Express 4, the path is /api/auth/*.
const handleAuth = toNodeHandler(auth)
// Without catch, a malformed request would end the process with Express 4.
app.all('/api/auth/{*path}', (request, response, next) => handleAuth(request, response).catch(next))

app.listen(port, () => console.log(`http://localhost:${port}`))
