import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'quittance-browser-'

/** Creates a directory for everything a browser writes. Removes the directories of killed processes first. */
export async function createBrowserProfile(): Promise<string> {
  await removeLeftovers()
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
}

/** Idempotent. */
export async function removeBrowserProfile(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => {})
}

async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir())
  const left = names.filter((name) => name.startsWith(prefix) && !isRunning(Number.parseInt(name.slice(prefix.length), 10)))
  await Promise.all(left.map((name) => removeBrowserProfile(join(tmpdir(), name))))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
