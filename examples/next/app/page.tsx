import { auth } from '../auth'

export default async function Page() {
  const session = await auth()
  if (!session?.user) {
    return (
      <p>
        Nobody is signed in. <a href="/api/auth/signin">Sign in</a>
      </p>
    )
  }
  return (
    <p>
      {`Signed in as ${session.user.email}`}. <a href="/api/auth/signout">Sign out</a>
    </p>
  )
}
