import type { RequestHandler } from './$types'

export const GET: RequestHandler = async ({ locals }) => {
  const session = await locals.auth()
  return new Response(session ? `Signed in as ${session.user?.email}` : 'Nobody is signed in. Open /auth/signin')
}
