export interface ByteRange {
  first: number
  last: number
}

/**
 * The one range a client asks for (RFC 9110 §14). Null means the whole: no header, several ranges, or one that cannot be read
 * may all be answered so.
 */
export function byteRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return null
  if (first === '') return Number(last) === 0 ? 'unsatisfiable' : { first: Math.max(0, size - Number(last)), last: size - 1 }
  if (last !== '' && Number(last) < Number(first)) return null
  if (Number(first) >= size) return 'unsatisfiable'
  return { first: Number(first), last: last === '' ? size - 1 : Math.min(Number(last), size - 1) }
}
