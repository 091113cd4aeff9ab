import type { ScopedSql } from '@quittance/runtime/sql-runner'

const lease = `
  update payments set leased_until = now() + :lease_ms * interval '1 millisecond', due_at = null
  where id = :id and organization_id = any (:scope_organizations)
    and (leased_until = :held::timestamptz or (leased_until is null or leased_until <= now()) and next_check_at <= now())
  returning leased_until::text as lease, to_json(now())#>>'{}' as now`

interface Lease {
  /** Identifies the lease: its end. */
  lease: string
  /** Time of the database. */
  now: Date
}

/** Takes the lease of a payment that is due, or renews it; null while another worker holds it, or if it is not due. The time is that of the database, the same for all replicas. */
export async function takeLease(
  sql: ScopedSql,
  { id, leaseMs, held }: { id: string; leaseMs: number; held: string | null },
): Promise<Lease | null> {
  const [row] = await sql<{ lease: string; now: string }>('payment.lease', lease, { id, lease_ms: leaseMs, held })
  return row ? { lease: row.lease, now: new Date(row.now) } : null
}
