import { Auth } from '@auth/core'
import type { Session } from '@auth/core/types'
import type { Env } from './auth.js'
import { authConfig } from './auth.js'

export default {
  async fetch(request, env) {
    const config = authConfig(env)
    const url = new URL(request.url)
    if (url.pathname.startsWith('//')) return new Response(null, { status: 400 })
    if (url.pathname.startsWith('/auth/')) return Auth(request, config)

    const answer = await Auth(new Request(new URL('/auth/session', url), { headers: request.headers }), config)
    if (!answer.ok) return answer
    const session = await answer.json<Session | null>()
    const response = new Response(session ? `Signed in as ${session.user?.email}` : 'Nobody is signed in. Open /auth/signin')
    for (const cookie of answer.headers.getSetCookie()) response.headers.append('set-cookie', cookie)
    return response
  },
} satisfies ExportedHandler<Env>
