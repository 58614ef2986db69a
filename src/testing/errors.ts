import { ok, rejection } from './expect.js'
import { casesAbout, someAccount, someAuthenticator, someSession, someToken, someUser, unique } from './fixtures.js'

const contractCase = casesAbout('errors')

/** Fails if a secret can be read off the error: its message, stack, cause, or any property at any depth. */
function holdsNone(error: Error, secrets: string[], what: string): void {
  const seen = new Set<unknown>()
  const texts: string[] = [String(error)]
  const visit = (value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return
    seen.add(value)
    if (ArrayBuffer.isView(value)) texts.push(new TextDecoder().decode(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)))
    for (const key of Reflect.ownKeys(value)) {
      texts.push(String(key))
      visit(Reflect.get(value, key))
    }
  }
  visit(error)
  for (const text of texts) {
    for (const secret of secrets) ok(!text.includes(secret), `${what}: the error holds a value that was sent`)
  }
}

export const errorCases = [
  contractCase('the error of a failed linkAccount holds no token', ['createUser', 'linkAccount'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const secrets = { access_token: unique('secret'), refresh_token: unique('secret'), id_token: unique('secret') }
    const account = someAccount(id, secrets)
    await adapter.linkAccount(account)
    holdsNone(
      await rejection(adapter.linkAccount(account), 'a second linkAccount'),
      [...Object.values(secrets), account.providerAccountId],
      'linkAccount',
    )
  }),

  contractCase('the error of a failed createSession holds no session token', ['createUser', 'createSession'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const session = someSession(id)
    await adapter.createSession(session)
    holdsNone(await rejection(adapter.createSession(session), 'a second createSession'), [session.sessionToken], 'createSession')
  }),

  contractCase('the error of a failed createVerificationToken holds no token', ['createVerificationToken'], async (adapter) => {
    const token = someToken()
    await adapter.createVerificationToken(token)
    holdsNone(
      await rejection(adapter.createVerificationToken(token), 'a second createVerificationToken'),
      [token.token, token.identifier],
      'createVerificationToken',
    )
  }),

  contractCase('the errors of failed createUser and updateUser hold no address', ['createUser', 'updateUser'], async (adapter) => {
    const [ada, bob] = [await adapter.createUser(someUser()), await adapter.createUser(someUser())]
    holdsNone(await rejection(adapter.createUser(someUser({ email: ada.email })), 'createUser'), [ada.email], 'createUser')
    holdsNone(await rejection(adapter.updateUser({ id: bob.id, email: ada.email }), 'updateUser'), [ada.email], 'updateUser')
  }),

  contractCase('the error of a failed createAuthenticator holds no key', ['createUser', 'createAuthenticator'], async (adapter) => {
    const { id } = await adapter.createUser(someUser())
    const authenticator = someAuthenticator(id, { credentialPublicKey: unique('key') })
    await adapter.createAuthenticator(authenticator)
    const error = await rejection(adapter.createAuthenticator(authenticator), 'a second createAuthenticator')
    holdsNone(error, [authenticator.credentialID, authenticator.credentialPublicKey], 'createAuthenticator')
  }),
]
