import { isIPv4, isIPv6 } from 'node:net'

/** A term of an SPF record in lower case. The argument of a mechanism begins with its separator. */
export type SpfTerm =
  | { kind: 'mechanism'; name: string; qualifier: string; argument: string }
  | { kind: 'modifier'; name: string; value: string }

/** Returns a term of an SPF record (RFC 7208, 4.6.1), or null if it has an error: an unknown mechanism is one, an unknown modifier is not. */
export function parseTerm(term: string): SpfTerm | null {
  const [, modifier, value = ''] = /^([a-z][a-z0-9_.-]*)=(.*)$/.exec(term) ?? []
  if (modifier !== undefined) {
    const isValid = modifier === 'redirect' || modifier === 'exp' ? isDomain(value) : value === '' || isMacroString(value)
    return isValid ? { kind: 'modifier', name: modifier, value } : null
  }
  const [, qualifier = '', name = '', argument = ''] = /^([-+?~]?)([a-z0-9]+)([:/].*)?$/.exec(term) ?? []
  if (!mechanisms.get(name)?.(argument)) return null
  return { kind: 'mechanism', name, qualifier: qualifier || '+', argument }
}

const isNamed = (argument: string) => argument.startsWith(':') && isDomain(argument.slice(1))

/** Mechanisms, and whether an argument is one of theirs. */
const mechanisms = new Map<string, (argument: string) => boolean>([
  ['all', (argument) => argument === ''],
  ['include', isNamed],
  ['exists', isNamed],
  ['ptr', (argument) => argument === '' || isNamed(argument)],
  ['a', isHost],
  ['mx', isHost],
  ['ip4', (argument) => isNetwork(argument, { isAddress: isIPv4, bits: 32 })],
  ['ip6', (argument) => isNetwork(argument, { isAddress: isIPv6, bits: 128 })],
])

const isPrefix = (digits: string | undefined, bits: number) =>
  digits === undefined || (/^(0|[1-9]\d*)$/.test(digits) && Number(digits) <= bits)

/** An optional domain with a length of the prefix for each version of addresses. */
function isHost(argument: string): boolean {
  const [, domain = '', prefix4, prefix6] = /^(.*?)(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(argument) ?? []
  return (domain === '' || isNamed(domain)) && isPrefix(prefix4, 32) && isPrefix(prefix6, 128)
}

function isNetwork(argument: string, { isAddress, bits }: { isAddress: (text: string) => boolean; bits: number }): boolean {
  const [, address = '', prefix] = /^:([^/]*)(?:\/(\d+))?$/.exec(argument) ?? []
  return isAddress(address) && isPrefix(prefix, bits)
}

const macro = String.raw`%(?:[%_-]|\{[slodiphcrtv]\d*r?[-.+,/_=]*\})`
const macroString = new RegExp(`^(?:[!-$&-~]|${macro})+$`)
const macroAtEnd = new RegExp(`${macro}$`)

const isMacroString = (text: string) => macroString.test(text)

/** A name ends with a label that is not only digits, after a point, or with a macro (RFC 7208, 7.1). */
function isDomain(text: string): boolean {
  if (!isMacroString(text)) return false
  const labels = text.replace(/\.$/, '').split('.')
  return macroAtEnd.test(text) || (labels.length > 1 && /^(?!\d+$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/.test(labels.at(-1) ?? ''))
}
