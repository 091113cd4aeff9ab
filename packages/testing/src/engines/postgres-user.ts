/** PostgreSQL does not run as root. Ways to run it from a root shell without creating a user. */
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** `nobody`: PostgreSQL requires a user with a name. */
const unprivilegedUser = 65_534

export interface RunAs {
  /** Arguments to prepend to a command. */
  prefix: readonly string[]
  uid?: number
  gid?: number
  /** Owner of the cluster's files, outside the namespace. */
  owner: number | null
}

/**
 * In order of preference: a user namespace, in which files remain owned by root and folders of mode 700 above the data remain accessible
 * (containers often forbid it); another user with root's capability to traverse folders; another user without it.
 */
export function resolvePostgresUser(): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [], owner: null }
  const ids = [`--map-user=${unprivilegedUser}`, `--map-group=${unprivilegedUser}`]
  const namespace = ['unshare', '--user', ...ids, '--']
  if (works(namespace)) return { prefix: namespace, owner: 0 }
  const caps = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const passing = ['setpriv', `--reuid=${unprivilegedUser}`, `--regid=${unprivilegedUser}`, '--clear-groups', ...caps, '--']
  if (works(passing)) return { prefix: passing, owner: unprivilegedUser }
  return { prefix: [], uid: unprivilegedUser, gid: unprivilegedUser, owner: unprivilegedUser }
}

function works(prefix: readonly string[]): boolean {
  return spawnSync(prefix[0] ?? 'true', [...prefix.slice(1), 'true'], { stdio: 'ignore' }).status === 0
}

/** Changes the owner of a cluster to the user it will run as: an earlier run may have used another method. */
export function changeOwner(owner: number | null, path: string): void {
  if (owner === null || !existsSync(path) || statSync(path).uid === owner) return
  chownTree(owner, path)
}

function chownTree(owner: number, path: string): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownTree(owner, join(path, name))
  // The top folder is changed last, so that an interrupted run is repeated.
  if (!lstatSync(path).isSymbolicLink()) chownSync(path, owner, owner)
}
