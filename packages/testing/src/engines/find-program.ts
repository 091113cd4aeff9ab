/** Where programs are looked for, and how they are fetched when there are none. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

/** Shared by all instances of this checkout; gone with node_modules. */
export const cacheDir = join(resolve(import.meta.dirname, '..', '..', '..', '..'), 'node_modules', '.cache', 'quittance')

/** Debian puts servers in /usr/sbin, which is not on everybody's PATH. */
const usualPlaces = ['/usr/local/bin', '/usr/bin', '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']

export function onPath(...names: string[]): string | null {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...usualPlaces].filter((folder) => !folder.endsWith('node_modules/.bin'))
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

/** Packages are installed for the person only where nobody has to be asked. */
export function canUseApt(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && onPath('apt-get') !== null
}

/** Why it failed, or null. The lists are fetched when the package is not known yet, as in fresh containers. */
export async function apt(action: readonly string[], cwd = dirname(cacheDir)): Promise<string | null> {
  const first = await run('apt-get', { args: action, cwd })
  if (first === null) return null
  return (await run('apt-get', { args: ['update', '-q'], cwd })) ?? run('apt-get', { args: action, cwd })
}

interface RunOptions {
  args: readonly string[]
  cwd?: string
}

/** Why it failed, or null. */
export function run(command: string, { args, cwd }: RunOptions): Promise<string | null> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  return new Promise((resolve) => {
    execFile(command, [...args], { cwd, env, timeout: 300_000, maxBuffer: Infinity }, (error, _, stderr) => {
      resolve(error && (stderr.trim().split('\n').at(-1) || error.message))
    })
  })
}
