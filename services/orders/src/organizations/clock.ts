import type { Transaction } from '@quittance/runtime/handler'

/** The time an organization's subscriptions live by: the real time, plus how far its test clock was advanced. */
export interface OrganizationClock {
  now: Date
  /** When a moment of this clock comes in real time, which is what jobs wait for. */
  toReal(at: Date): Date
}

const offset = `select clock_offset_ms::float8 as ms from organizations where id = :id`

export async function clockOf({ rows, now }: Pick<Transaction, 'rows' | 'now'>, organizationId: string): Promise<OrganizationClock> {
  const [known] = await rows<{ ms: number }>('organization.clock', offset, { id: organizationId })
  const ms = known?.ms ?? 0
  return { now: new Date(now.getTime() + ms), toReal: (at) => new Date(at.getTime() - ms) }
}
