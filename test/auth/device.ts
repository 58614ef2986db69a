import type { KeyObject } from 'node:crypto'
import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'

const sha256 = (value: string | Buffer) => createHash('sha256').update(value).digest()
const base64url = (value: Buffer) => value.toString('base64url')
const userPresentAndVerified = 0x05
const hasNewCredential = 0x40

/** A software device with one passkey. It answers as a browser and its authenticator would. */
export function openDevice(origin: string) {
  const id = randomBytes(32)
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let counter = 0

  const clientData = (type: string, challenge: string) => Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

  function authenticatorData(flags: number, credential = Buffer.alloc(0)) {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(++counter)
    return Buffer.concat([sha256(new URL(origin).hostname), Buffer.from([flags]), count, credential])
  }

  const answer = (response: Record<string, unknown>) =>
    JSON.stringify({ id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {}, response })

  return {
    /** Creates the passkey. */
    register({ challenge }: { challenge: string }) {
      const length = Buffer.from([0, id.length])
      const credential = Buffer.concat([Buffer.alloc(16), length, id, coseKey(publicKey)])
      const data = authenticatorData(userPresentAndVerified | hasNewCredential, credential)
      return answer({
        clientDataJSON: base64url(clientData('webauthn.create', challenge)),
        attestationObject: base64url(attestation(data)),
        transports: ['internal', 'hybrid'],
      })
    },

    /** Signs with the passkey. */
    authenticate({ challenge }: { challenge: string }) {
      const client = clientData('webauthn.get', challenge)
      const data = authenticatorData(userPresentAndVerified)
      return answer({
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(signature(Buffer.concat([data, sha256(client)]), privateKey)),
      })
    },
  }
}

// In one signature of a hundred, r or s begins with a zero byte. @simplewebauthn/server 9, the version that Auth.js requires, wrongly
// rejects those, so this signs again until neither does.
function signature(data: Buffer, key: KeyObject): Buffer {
  for (;;) {
    const numbers = createSign('sha256').update(data).sign({ key, dsaEncoding: 'ieee-p1363' })
    if (numbers[0] && numbers[32]) return toDer(numbers)
  }
}

/** Encodes r and s of a signature in DER: each with its tag and length, and with a zero byte in front if it would be negative. */
function toDer(numbers: Buffer): Buffer {
  const integers = [numbers.subarray(0, 32), numbers.subarray(32)].map((number) => {
    const value = (number[0] as number) < 0x80 ? number : Buffer.concat([Buffer.alloc(1), number])
    return Buffer.concat([Buffer.from([0x02, value.length]), value])
  })
  const sequence = Buffer.concat(integers)
  return Buffer.concat([Buffer.from([0x30, sequence.length]), sequence])
}

// The only two CBOR maps that are needed, written byte by byte: an ES256 key, and an attestation of the format "none".
function coseKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  const bytes = (value: string) => Buffer.concat([Buffer.from([0x58, 32]), Buffer.from(value, 'base64url')])
  const start = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([start, Buffer.from([0x21]), bytes(x), Buffer.from([0x22]), bytes(y)])
}

function attestation(data: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)])
  const length = Buffer.from([0x58, data.length])
  const parts = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0]), text('authData'), length, data]
  return Buffer.concat([Buffer.from([0xa3]), ...parts])
}
