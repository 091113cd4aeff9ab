import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const prefix = 'quittance-browser-'

/** A fresh directory for all a browser writes. What killed processes left behind is removed on the way. */
export async function makeBrowserHome(): Promise<string> {
  await removeLeftovers()
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`))
}

/** Safe to call again. */
export async function removeBrowserHome(home: string): Promise<void> {
  await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }).catch(() => {})
}

async function removeLeftovers(): Promise<void> {
  const names = await readdir(tmpdir())
  const left = names.filter((name) => name.startsWith(prefix) && !isRunning(Number.parseInt(name.slice(prefix.length), 10)))
  await Promise.all(left.map((name) => removeBrowserHome(join(tmpdir(), name))))
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
