import { appendFileSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Operation } from '@quittance/contracts/operation'

const root = resolve(import.meta.dirname, '..', '..', '..')

/** Folder of one file per test worker. Nothing is recorded without it: a filtered run proves nothing about all errors. */
const folder = process.env['SEEN_ERRORS_FOLDER']

/** Records that a real service returned this error of an operation. */
export function recordSeenError(operation: Operation, errorName: string): void {
  if (!folder) return
  appendFileSync(join(folder, `${process.pid}-${process.env['VITEST_POOL_ID'] ?? '0'}`), `${operation.subject} ${errorName}\n`)
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
  const files = globSync(['{packages,services}/*/.vitest/seen-errors.txt', 'tools/.vitest/seen-errors.txt'], { cwd: checkout })
  const seen = new Set(files.flatMap((file) => readLines(join(checkout, file))))
  return operations
    .flatMap((operation) => operation.errors.map((error) => `${operation.subject} ${error.name}`))
    .filter((pair) => !seen.has(pair))
}

function readLines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}
