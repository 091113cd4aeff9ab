/** PostgreSQL refuses to run as root. These are the ways to run it from a root shell without creating a user. */
import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** `nobody`: PostgreSQL wants a user that has a name. */
const nobody = 65_534

export interface RunAs {
  /** Words to put in front of a command. */
  prefix: readonly string[]
  uid?: number
  gid?: number
  /** Who owns the files of the cluster, seen from outside. */
  owner: number | null
}

/**
 * Best first: a user namespace, in which files stay root's and folders of mode 700 above the data stay reachable (containers
 * often forbid it); another user who keeps root's right to pass through folders; just another user.
 */
export function unprivileged(): RunAs {
  if (process.getuid?.() !== 0) return { prefix: [], owner: null }
  const ids = [`--map-user=${nobody}`, `--map-group=${nobody}`]
  const namespace = ['unshare', '--user', ...ids, '--']
  if (works(namespace)) return { prefix: namespace, owner: 0 }
  const caps = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const passing = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', ...caps, '--']
  if (works(passing)) return { prefix: passing, owner: nobody }
  return { prefix: [], uid: nobody, gid: nobody, owner: nobody }
}

function works(prefix: readonly string[]): boolean {
  return spawnSync(prefix[0] ?? 'true', [...prefix.slice(1), 'true'], { stdio: 'ignore' }).status === 0
}

/** Gives a cluster to the user it is going to run as: an earlier run may have used another way. */
export function giveTo(owner: number | null, path: string): void {
  if (owner === null || !existsSync(path) || statSync(path).uid === owner) return
  chownTree(owner, path)
}

function chownTree(owner: number, path: string): void {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) chownTree(owner, join(path, name))
  // The top comes last: a run cut short is repeated.
  if (!lstatSync(path).isSymbolicLink()) chownSync(path, owner, owner)
}
