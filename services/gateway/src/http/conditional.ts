import { hash } from 'node:crypto'

/** A weak entity tag (RFC 9110 §8.8.3): the same content, in whatever encoding it is sent. */
export function entityTag(body: Uint8Array): string {
  return `W/"${hash('sha1', body, 'base64url')}"`
}

/** Whether the client has this already (RFC 9110 §13.1.2). */
export function matches(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true
  const opaque = tag.slice(2)
  return ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === opaque)
}
