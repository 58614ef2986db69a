import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

export interface Mail {
  to: string
  subject: string
  at: Date
  /** The first URL in the text: the sign-in link. Empty in a mail with a code. */
  link: string
}

const maxMails = 20

/** Starts a mail server that delivers nothing, and keeps the last mails, newest first. */
export async function startMail() {
  const mails: Mail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    logger: false,
    async onData(stream, session, done) {
      const { subject, link } = read(await text(stream))
      mails.unshift({ to: session.envelope.rcptTo.map(({ address }) => address).join(', '), subject, at: new Date(), link })
      mails.length = Math.min(mails.length, maxMails)
      done()
    },
  })
  server.on('error', () => {})
  server.listen(0, 'localhost')
  await once(server.server, 'listening')
  return {
    url: `smtp://localhost:${(server.server.address() as AddressInfo).port}`,
    mails,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function read(message: string) {
  // Quoted-printable: a line that ends with `=` continues in the next one, and `=3D` is the character with that code.
  const plain = message.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  return {
    subject: /^Subject: (.*)\r$/m.exec(message)?.[1] ?? '',
    link: /https?:\/\/[^\s"<>]+/.exec(plain)?.[0] ?? '',
  }
}
