import { parseArgs, type ParseArgsConfig } from 'node:util'
import { UsageError } from './command.ts'

type OptionTable = NonNullable<ParseArgsConfig['options']>

/** Parses the options of a command; rejects unknown ones with a usage error. */
export function readArguments<Table extends OptionTable>(args: string[], options: Table) {
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
