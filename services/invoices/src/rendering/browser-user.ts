import { accessSync, chownSync, constants } from 'node:fs'

/** Id of a user that owns nothing and runs nothing else. The user needs no name. */
const browserUser = 64_117

/** How to start a browser: the program, the arguments before its own, and the owner of its directory. */
export interface BrowserCommand {
  executable: string
  prefix: readonly string[]
  /** Null for the user of this process. */
  uid: number | null
}

const setprivPlaces = ['/usr/bin/setpriv', '/bin/setpriv']

/**
 * Runs the browser as a dedicated user if this process is root. That user cannot read the environment and memory of the service nor files
 * of its owner, and gains no privileges through programs it starts. Otherwise the browser runs as the user of the service. Then the sandbox
 * protects the environment of the service, or, in a container, the unreadable program file of the service.
 */
export function browserCommand(executable: string): BrowserCommand {
  const setpriv = process.getuid?.() === 0 ? setprivPlaces.find(isExecutable) : undefined
  if (setpriv === undefined) return { executable, prefix: [], uid: null }
  const prefix = [`--reuid=${browserUser}`, `--regid=${browserUser}`, '--clear-groups', '--no-new-privs', '--', executable]
  return { executable: setpriv, prefix, uid: browserUser }
}

/** Makes the user of the browser the owner of its directory. */
export function assignHome(home: string, { uid }: BrowserCommand): void {
  if (uid !== null) chownSync(home, uid, uid)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
