import type { ScopedSql } from '@quittance/sql/sql-runner'

/** Condition of a row that is due, or whose lease the caller holds. */
const isFree = `(leased_until = :held::timestamptz or (leased_until is null or leased_until <= now()) and next_check_at <= now())`

const extend = `leased_until = now() + :lease_ms * interval '1 millisecond'`
const returned = `leased_until::text as lease, to_json(now())#>>'{}' as now`

const leasePayment = `
  update payments set ${extend}, due_at = null where id = :id and organization_id = any (:scope_organizations) and ${isFree} returning ${returned}`

const leaseSetup = `
  update payment_setups set ${extend} where id = :id and organization_id = any (:scope_organizations) and ${isFree} returning ${returned}`

export interface LeaseRequest {
  id: string
  leaseMs: number
  /** The lease that the caller holds; null without one. */
  held: string | null
}

export interface Lease {
  /** Identifies the lease: its end. */
  lease: string
  /** Time of the database. */
  now: Date
}

interface LeaseRow {
  lease: string
  now: string
}

/**
 * Takes the lease of a payment that is due, or renews it; null while another worker holds it, or if it is not due. The time is that of the
 * database, the same for all replicas.
 */
export async function takePaymentLease(sql: ScopedSql, { id, leaseMs, held }: LeaseRequest): Promise<Lease | null> {
  return toLease(await sql<LeaseRow>('payment.lease', leasePayment, { id, lease_ms: leaseMs, held }))
}

/** The same for a setup. */
export async function takeSetupLease(sql: ScopedSql, { id, leaseMs, held }: LeaseRequest): Promise<Lease | null> {
  return toLease(await sql<LeaseRow>('payment-setup.lease', leaseSetup, { id, lease_ms: leaseMs, held }))
}

function toLease([row]: LeaseRow[]): Lease | null {
  return row ? { lease: row.lease, now: new Date(row.now) } : null
}
