import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'
import { authConfig } from './auth.js'

const app = express()
const port = Number(process.env.PORT ?? 3000)

// Only paths: the target of a request may also name a host, as in //example.com/auth/signin.
app.use((request, response, next) => {
  if (/^\/(?!\/)/.test(request.url)) next()
  else response.sendStatus(400)
})
app.use('/auth', ExpressAuth(authConfig))

app.get('/', async (request, response) => {
  const session = await getSession(request, authConfig)
  response.type('text').send(session ? `Signed in as ${session.user?.email}` : 'Nobody is signed in. Open /auth/signin')
})

app.listen(port, () => console.log(`http://localhost:${port}`))
