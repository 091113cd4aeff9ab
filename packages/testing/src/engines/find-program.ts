/** Finds programs, and downloads missing ones. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

/** Shared by all instances of this checkout; deleted with node_modules. */
export const cacheDir = join(resolve(import.meta.dirname, '..', '..', '..', '..'), 'node_modules', '.cache', 'quittance')

/** Debian installs servers in /usr/sbin, which is not on every user's PATH. */
const defaultPaths = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']

export function onPath(...names: string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...defaultPaths].filter((folder) => !folder.endsWith('node_modules/.bin'))
  for (const name of names) {
    const found = folders.map((folder) => join(folder, name)).find(isExecutable)
    if (found) return found
  }
  return null
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Packages are installed only if no confirmation is needed. */
export function canUseApt(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && onPath('apt-get') !== null
}

/**
 * Installs with apt and returns the reason of a failure, or null. The package lists are updated if the package is unknown, as in new
 * containers.
 */
export async function installWithApt(action: readonly string[], cwd = dirname(cacheDir)): Promise<string | null> {
  const first = await runProgram('apt-get', { args: action, cwd })
  if (first === null) return null
  return (await runProgram('apt-get', { args: ['update', '-q'], cwd })) ?? runProgram('apt-get', { args: action, cwd })
}

interface RunOptions {
  args: readonly string[]
  cwd?: string
}

/** Runs a program and returns the reason of a failure, or null. */
export function runProgram(command: string, { args, cwd }: RunOptions): Promise<string | null> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd, env, timeout: 300_000, maxBuffer: Infinity }, (error, _, stderr) => {
      resolve(error && (stderr.trim().split('\n').at(-1) || error.message))
    })
  })
}
