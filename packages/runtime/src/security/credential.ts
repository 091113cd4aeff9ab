import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Prefix that identifies the kind of a credential, for users and secret scanners. */
export type TokenPrefix =
  | 'qt_oat_'
  | 'qt_pat_'
  | 'qt_cst_'
  | 'qt_ci_'
  | 'qt_cs_'
  | 'qt_co_'
  | 'qt_cl_'
  | 'qt_crt_'
  | 'qt_prt_'
  | 'qt_inv_'
  | 'qt_ac_'
  | 'qt_at_'
  | 'qt_rt_'

/** 37 alphanumeric characters: 220 bits. */
const randomLength = 37

/** Creates a credential: prefix, random part, six characters of CRC-32 with which a scanner can discard false matches offline. */
export function mintToken(prefix: TokenPrefix): string {
  const random = randomText(randomLength)
  return `${prefix}${random}${checksum(random)}`
}

/** Whether `mintToken` may have created the token; false for a wrong checksum, so that invalid text is rejected without a lookup. */
export function looksMinted(token: string): boolean {
  const [, random, expectedChecksum] = /^qt_[a-z]{2,3}_([0-9A-Za-z]{37})([0-9A-Za-z]{6})$/.exec(token) ?? []
  return random !== undefined && checksum(random) === expectedChecksum
}

/** Returns SHA-256 in lower-case hexadecimal; the only form in which a credential is stored or compared. */
export function hashToken(token: string): string {
  return hash('sha256', token)
}

/** Rejection sampling: every character equally likely. */
function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(64)) {
      if (byte < 248 && text.length < length) text += alphabet[byte % 62]
    }
  }
  return text
}

function checksum(random: string): string {
  let remainder = crc32(random)
  let text = ''
  for (let position = 0; position < 6; position++) {
    text = alphabet[remainder % 62] + text
    remainder = Math.floor(remainder / 62)
  }
  return text
}
