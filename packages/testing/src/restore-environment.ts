/**
 * Set-up file of the service and e2e tests. The files of a worker share its modules and its process; the settings that one file changes are restored
 * after it.
 */
import { afterAll } from 'vitest'

const before = { ...process.env }

function restore(): void {
  for (const name of Object.keys(process.env)) {
    if (!(name in before)) delete process.env[name]
  }
  Object.assign(process.env, before)
}

afterAll(restore)
