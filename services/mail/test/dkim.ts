import { createHash, verify, type KeyObject } from 'node:crypto'

/** What a signature claims, and whether it is valid (RFC 6376, relaxed/relaxed, rsa-sha256). */
export interface DkimResult {
  domain: string
  selector: string
  fields: string[]
  isBodyIntact: boolean
  isSignatureValid: boolean
}

/** Verifies the signature of a message as a receiving server does. Throws if there is none. */
export function verifyDkim(source: string, publicKey: KeyObject): DkimResult {
  const end = source.indexOf('\r\n\r\n')
  const headers = source.slice(0, end).split(/\r\n(?![ \t])/)
  const signature = headers.find((line) => /^dkim-signature:/i.test(line))
  if (!signature) throw new Error('The message has no signature')
  const tags = readTags(signature.slice(signature.indexOf(':') + 1))
  if (tags['a'] !== 'rsa-sha256' || tags['c'] !== 'relaxed/relaxed') throw new Error('Another algorithm')
  const fields = (tags['h'] ?? '').split(':').map((name) => name.trim().toLowerCase())
  const remaining = [...headers]
  const signed = fields.flatMap((name) => {
    // The last field of a name first; one that is absent counts as empty.
    const index = remaining.findLastIndex((line) => line.toLowerCase().startsWith(`${name}:`))
    return index < 0 ? [] : [`${relaxHeader(remaining.splice(index, 1)[0] as string)}\r\n`]
  })
  const unsigned = relaxHeader(signature.replace(/(\bb=)[^;]*$/, '$1'))
  const data = Buffer.from(signed.join('') + unsigned, 'latin1')
  return {
    domain: tags['d'] ?? '',
    selector: tags['s'] ?? '',
    fields,
    isBodyIntact:
      createHash('sha256')
        .update(relaxBody(source.slice(end + 4)), 'latin1')
        .digest('base64') === tags['bh'],
    isSignatureValid: verify('sha256', data, publicKey, Buffer.from((tags['b'] ?? '').replaceAll(/\s/g, ''), 'base64')),
  }
}

function readTags(text: string): Record<string, string> {
  const pairs = text.split(';').map((pair) => /^\s*(\w+)\s*=([^]*)$/.exec(pair))
  return Object.fromEntries(
    pairs.flatMap((pair) => (pair ? [[pair[1] as string, (pair[2] as string).replaceAll(/\s+/g, ' ').trim()]] : [])),
  )
}

function relaxHeader(line: string): string {
  const colon = line.indexOf(':')
  return `${line.slice(0, colon).toLowerCase().trim()}:${line
    .slice(colon + 1)
    .replaceAll(/\r\n/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()}`
}

function relaxBody(body: string): string {
  const lines = body.split('\r\n').map((line) => line.replaceAll(/[ \t]+/g, ' ').replace(/ $/, ''))
  const text = lines.join('\r\n').replace(/(\r\n)+$/, '')
  return text ? `${text}\r\n` : ''
}
