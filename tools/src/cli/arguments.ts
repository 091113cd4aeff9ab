import { parseArgs, type ParseArgsConfig } from 'node:util'
import { UsageError } from './command.ts'

type OptionTable = NonNullable<ParseArgsConfig['options']>

/**
 * Parses the options of a command; rejects unknown ones with a usage error, and empty ones: a variable of a script that is not set must not
 * select the default, such as a token for every organization.
 */
export function readArguments<Table extends OptionTable>(args: string[], options: Table) {
  const values = parse(args, options)
  const [empty] = Object.entries(values).find(([, value]) => [value].flat().some((each) => typeof each === 'string' && !each.trim())) ?? []
  if (empty !== undefined) throw new UsageError(`--${empty} is empty: give it a value, or omit it.`)
  return values
}

function parse<Table extends OptionTable>(args: string[], options: Table) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError((error as Error).message)
  }
}

export function required<Value>(option: string, value: Value | undefined): Value {
  if (value === undefined) throw new UsageError(`${option} is required.`)
  return value
}

/** Parses the port that a start uses; 0 takes a free one. */
export function parsePort(text: string): number {
  return parseWholeNumber('--port', { text, min: 0, max: 65_535 })
}

/** Parses a number of digits only; rejects one outside of its limits with a usage error. */
export function parseWholeNumber(option: string, { text, min, max }: { text: string; min: number; max: number }): number {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new UsageError(`${option} must be a whole number from ${min} to ${max}, not "${text}".`)
}

/** Parses a public address, without slashes at its end, as the services read it. */
export function parseAddress(option: string, text: string): string {
  if (!/^https?:$/.test(URL.parse(text)?.protocol ?? '')) {
    throw new UsageError(`${option} must be an address like http://127.0.0.1:8080, not "${text}".`)
  }
  return text.replace(/\/+$/, '')
}

/** Parses an id, in lower case as in replies. A mistyped one would be found nowhere, which looks like a result. */
export function parseId(option: string, text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase()
  throw new UsageError(`${option} must be an id like 9c1d2e3f-0a4b-4d5c-8e6f-7a8b9c0d1e2f, not "${text}".`)
}
