import { createHash, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import type { PageVisit } from '@quittance/testing/browser'

interface Site {
  rpId: string
  origin: string
}

/** Deliberate deviations. */
interface Faults {
  /** The device did not verify its user by fingerprint or PIN. */
  isUserUnverified?: boolean
  /** Origin of the page that called the browser. */
  origin?: string
  /** A cloned device whose counter is behind. */
  counter?: number
}

/** A software security key with one credential (WebAuthn §6). */
export interface SoftwareAuthenticator {
  credentialId: string
  /** Returns the field `credential` of the form, after `navigator.credentials.create`. */
  create(visit: PageVisit): Record<string, string>
  /** Returns the same after `navigator.credentials.get`; the form is the `nth` one that requests a passkey. */
  get(visit: PageVisit, faults?: Faults): Record<string, string>
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const flags = { present: 0x01, verified: 0x04, attested: 0x40 }

export function createAuthenticator({ rpId, origin }: Site): SoftwareAuthenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const id = randomBytes(16)
  const credentialId = id.toString('base64url')
  let counter = 0

  function authenticatorData(flag: number, count: number, attested: Buffer = Buffer.alloc(0)): Buffer {
    const counted = Buffer.alloc(4)
    counted.writeUInt32BE(count)
    return Buffer.concat([sha256(rpId), Buffer.from([flag]), counted, attested])
  }

  const clientData = (type: string, challenge: string, from: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: from, crossOrigin: false }))
  const named = (response: Record<string, unknown>) =>
    JSON.stringify({ id: credentialId, rawId: credentialId, type: 'public-key', clientExtensionResults: {}, response })

  return {
    credentialId,
    create(visit) {
      const { challenge } = passkeyOptions(visit)
      const authData = authenticatorData(flags.present | flags.verified | flags.attested, counter, encodeCredential(id, publicKey))
      const attestation = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authData)],
      ])
      return {
        credential: named({
          clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
          attestationObject: Buffer.from(isoCBOR.encode(attestation as never)).toString('base64url'),
          transports: ['internal'],
        }),
      }
    },
    get(visit, faults = {}) {
      const { challenge } = passkeyOptions(visit)
      counter = faults.counter ?? counter + 1
      const data = authenticatorData(flags.present | (faults.isUserUnverified ? 0 : flags.verified), counter)
      const client = clientData('webauthn.get', challenge, faults.origin ?? origin)
      const signature = createSign('sha256')
        .update(Buffer.concat([data, sha256(client)]))
        .sign(privateKey)
      return {
        credential: named({
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
        }),
      }
    },
  }
}

/** Encodes the attested credential data of an ES256 key (WebAuthn §6.5.2). */
function encodeCredential(id: Buffer, publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const key = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
    [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
  ])
  return Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, isoCBOR.encode(key as never)])
}

/** Reads the options that the page passes to the browser. */
export function passkeyOptions({ body }: PageVisit): { challenge: string; user?: { id: string }; allowCredentials?: { id: string }[] } {
  const [, text] = /data-passkey="([^"]*)"/.exec(body) ?? []
  if (!text) throw new Error(`The page requests no passkey:\n${body.slice(body.indexOf('<main'))}`)
  return JSON.parse(text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))))
}
