import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL that returns at `/‹folder›` the path of that folder when its packages are installed. */
    packages: string
  }
}

export type PackageFolder = 'clients' | 'adapters' | 'better-auth' | 'better-auth-2025' | 'generators'

const installations = new Map<string, Promise<string>>()

/**
 * Installs the packages of a folder beside this file, once for all workers, and returns its path. Clients and adapters are 900 MB and have
 * separate lockfiles, so that `npm ci` of the repository does not install them. Workers do not call this: two of them would install into the
 * same folder.
 */
export function installPackages(name: string): Promise<string> {
  const installation = installations.get(name) ?? install(join(import.meta.dirname, name))
  installations.set(name, installation)
  return installation
}

async function install(folder: string): Promise<string> {
  const args = ['ci', '--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--silent']
  if (!existsSync(join(folder, 'node_modules/.package-lock.json'))) await promisify(execFile)('npm', args, { cwd: folder })
  return folder
}
