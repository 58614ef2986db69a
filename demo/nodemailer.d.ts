// The package has no types.
declare module 'nodemailer' {
  interface Mail {
    to: string
    from: string
    subject: string
    text: string
  }
  export function createTransport(url: string): { sendMail(mail: Mail): Promise<unknown> }
}
