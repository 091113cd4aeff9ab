import { hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** What a credential is for, told by its first letters so that people and secret scanners know it. */
export type TokenPrefix = 'qt_oat_' | 'qt_pat_' | 'qt_cst_' | 'qt_ci_' | 'qt_cs_' | 'qt_co_' | 'qt_crt_' | 'qt_ac_' | 'qt_at_' | 'qt_rt_'

/** 37 letters and digits: 220 bits. */
const randomLength = 37

/** A new credential: prefix, random part, six characters of CRC-32 that let a scanner discard look-alikes offline. */
export function mintToken(prefix: TokenPrefix): string {
  const random = randomText(randomLength)
  return `${prefix}${random}${checksum(random)}`
}

/** Whether `mintToken` may have made it; false for text with a wrong checksum, so that rubbish is refused without asking anybody. */
export function looksMinted(token: string): boolean {
  const [, random, given] = /^qt_[a-z]{2,3}_([0-9A-Za-z]{37})([0-9A-Za-z]{6})$/.exec(token) ?? []
  return random !== undefined && checksum(random) === given
}

/** SHA-256 in lower-case hexadecimal; the only form in which a credential is kept or compared. */
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
  let rest = crc32(random)
  let text = ''
  for (let place = 0; place < 6; place++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}
