import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '@quittance/contracts/operation'

/** Where workers leave what they saw; one file each, read when all are done. */
const folder = join(import.meta.dirname, '../../../.vitest/declared-errors')

/** Forgets earlier runs. */
export function forgetSeenErrors(): void {
  rmSync(folder, { recursive: true, force: true })
}

/** Notes that a real service answered an operation with this error. */
export function noteSeenError(operation: Operation, errorName: string): void {
  mkdirSync(folder, { recursive: true })
  appendFileSync(join(folder, `${process.pid}-${process.env['VITEST_POOL_ID'] ?? '0'}`), `${operation.subject} ${errorName}\n`)
}

/** Errors that operations list and that no service test has seen: either a test is missing or the list is wrong. */
export function unseenErrors(operations: readonly Operation[]): string[] {
  const seen = new Set(readNotes())
  return operations
    .flatMap((operation) => operation.errors.map((error) => `${operation.subject} ${error.name}`))
    .filter((pair) => !seen.has(pair))
}

function readNotes(): string[] {
  try {
    return readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').trim().split('\n'))
  } catch {
    return []
  }
}
