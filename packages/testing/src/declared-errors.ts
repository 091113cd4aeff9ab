import { appendFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { NotPermitted, type ApiError } from '@quittance/contracts/errors'
import type { Operation } from '@quittance/contracts/operation'

const root = resolve(import.meta.dirname, '..', '..', '..')

/** Folder of one file per test worker. Nothing is recorded without it: a filtered run proves nothing about all errors. */
const folder = process.env['SEEN_ERRORS_FOLDER']

/** Errors that the runtime returns for any operation; `Conflict` is that of an `Idempotency-Key` in use. */
const commonErrors = new Set(['RequestValidationError', 'Conflict', 'InternalServerError', 'ServiceUnavailable'])

/** An error as it was returned. */
interface SeenError {
  error: ApiError
  /** The operation does not take this kind of caller, which the gateway never forwards. */
  isOtherCaller: boolean
}

/** Whether an operation may return the error without declaring it. */
function isOfAnyOperation({ audience }: Operation, { error, isOtherCaller }: SeenError): boolean {
  if (commonErrors.has(error.name)) return true
  return error instanceof NotPermitted && (isOtherCaller || audience === 'operator' || error.message === 'Not permitted')
}

/** Records that a real service returned this error of an operation. */
export function recordSeenError(operation: Operation, seen: SeenError): void {
  if (!folder) return
  const note = `${operation.subject} ${seen.error.name}${isOfAnyOperation(operation, seen) ? ' common' : ''}\n`
  appendFileSync(join(folder, `${process.pid}-${process.env['VITEST_POOL_ID'] ?? '0'}`), note)
}

/** The record of one workspace: an output of its service tests, restored by turbo when they are answered from the cache. */
export interface SeenErrorsRecord {
  /** Value of `SEEN_ERRORS_FOLDER` for the test workers. */
  folder: string
  /** Writes what the workers have recorded. */
  save(): void
}

/** Deletes the record of an earlier run of a workspace's service tests and starts a new one. */
export function startSeenErrorsRecord(workspace: string): SeenErrorsRecord {
  const notes = join(workspace, '.vitest', 'seen-errors')
  const file = `${notes}.txt`
  for (const path of [notes, file]) rmSync(path, { recursive: true, force: true })
  mkdirSync(notes, { recursive: true })
  return {
    folder: notes,
    save() {
      const pairs = readdirSync(notes).flatMap((name) => readLines(join(notes, name)))
      writeFileSync(
        file,
        [...new Set(pairs)]
          .toSorted()
          .map((pair) => `${pair}\n`)
          .join(''),
      )
      rmSync(notes, { recursive: true })
    },
  }
}

/** Errors that operations list and that no service test of a workspace has seen: either a test is missing or the list is wrong. */
export function findUnseenErrors(operations: readonly Operation[], checkout: string = root): string[] {
  const seen = new Set(readRecords(checkout).map(({ pair }) => pair))
  return listDeclared(operations).filter((pair) => !seen.has(pair))
}

/** Errors that a service test has seen and their operation does not list, besides those of any operation: clients do not expect them. */
export function findUndeclaredErrors(operations: readonly Operation[], checkout: string = root): string[] {
  const declared = new Set(listDeclared(operations))
  const subjects = new Set<string>(operations.map(({ subject }) => subject))
  const found = readRecords(checkout).filter(
    ({ pair, isCommon }) => !isCommon && !declared.has(pair) && subjects.has(pair.split(' ')[0] as string),
  )
  return [...new Set(found.map(({ pair }) => pair))]
}

function listDeclared(operations: readonly Operation[]): string[] {
  return operations.flatMap((operation) => operation.errors.map((error) => `${operation.subject} ${error.name}`))
}

function readRecords(checkout: string): { pair: string; isCommon: boolean }[] {
  const files = globSync(['{packages,services}/*/.vitest/seen-errors.txt', 'tools/.vitest/seen-errors.txt'], { cwd: checkout })
  const lines = files.flatMap((file) => readLines(join(checkout, file)))
  return lines.map((line) => ({ pair: line.replace(/ common$/, ''), isCommon: line.endsWith(' common') }))
}

function readLines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
