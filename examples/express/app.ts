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

// Without catch, a malformed request would end the process with Express 4.
app.get('/', (request, response, next) => {
  getSession(request, authConfig)
    .then((session) =>
      response.type('text').send(session ? `Signed in as ${session.user?.email}` : 'Nobody is signed in. Open /auth/signin'),
    )
    .catch(next)
})

app.listen(port, () => console.log(`http://localhost:${port}`))
