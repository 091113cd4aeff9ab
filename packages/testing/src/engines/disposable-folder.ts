import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findProcess } from './process-record.ts'

const prefix = 'quittance-test-'
const memoryFolder = '/dev/shm'
/** Far more than the engines of a test run write, so that they never use up the memory of other processes. */
const minFreeBytes = 8 * 2 ** 30

/**
 * Creates a folder for the data of engines that a test starts, in memory if there is plenty: a cloned database has 500 files, and creating them
 * on a disk takes longer than most tests. The caller removes it; folders of killed processes are removed first.
 */
export function createDisposableFolder(name: string): string {
  const parent = hasSpace(memoryFolder) ? memoryFolder : tmpdir()
  for (const left of readdirSync(parent).filter(isLeftover)) rmSync(join(parent, left), { recursive: true, force: true })
  return mkdtempSync(join(parent, `${prefix}${process.pid}-${name}-`))
}

function hasSpace(folder: string): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= minFreeBytes
  } catch {
    return false
  }
}

function isLeftover(name: string): boolean {
  const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN
  return pid > 0 && !findProcess(pid)
}
