import type { SystemSql } from '@quittance/sql/sql-runner'
import type { SandboxObject, SandboxStatus } from './sandbox-objects.ts'
import { chooseScript } from './sandbox-tokens.ts'

const suffix = '_secret'

/** Returns the secret with which the buyer completes the step of the bank. */
export function toClientSecret(id: string): string {
  return `${id}${suffix}`
}

/** A payment or setup whose step of the bank ended; `ours` is its row in `payments` or `payment_setups`. */
export interface CompletedAction extends Pick<SandboxObject, 'kind' | 'ours'> {
  status: 'succeeded' | 'failed'
}

const lock = `select kind, ours, token, status from sandbox_objects where id = :id and kind in ('charge', 'setup') for update`

const save = `update sandbox_objects set status = :status where id = :id`

/** Ends the step as its token defines. A step that ended before returns its result; null if the secret belongs to none. */
export async function completeAction(systemSql: SystemSql, secret: string): Promise<CompletedAction | null> {
  if (!secret.endsWith(suffix)) return null
  const id = secret.slice(0, -suffix.length)
  const [object] = await systemSql<Pick<SandboxObject, 'kind' | 'ours' | 'token' | 'status'>>('sandbox.lock-action', lock, { id })
  const script = object && chooseScript(object.token, { isBuyerPresent: true })
  if (!object || script?.result !== 'requires_action' || object.status === 'untouched') return null
  const { kind, ours } = object
  const status: SandboxStatus = object.status === 'requires_action' ? script.ends : object.status
  if (status !== object.status) await systemSql('sandbox.complete-action', save, { id, status })
  return { kind, ours, status: status === 'succeeded' ? status : 'failed' }
}
