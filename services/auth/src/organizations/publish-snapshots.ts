import { organizationSnapshotted } from '@quittance/contracts/organizations'
import type { PayloadOf } from '@quittance/contracts/event'
import { job } from '@quittance/runtime/handler'
import { customerEmailSettings } from './organization.ts'

/** Name of the job that is woken when an organization was created or changed. */
export const snapshotJobName = 'publish-organization-snapshots'

/** Shorter than the seven days for which the stream keeps events, so that it always contains every organization. */
const isDue = `(o.snapshot_published_at is null or o.snapshot_published_at < now() - interval '3 days')`

const batch = 100

const findDue = `select o.id from organizations o where ${isDue} order by o.snapshot_published_at nulls first limit ${batch}`

const claim = `
  update organizations o set snapshot_published_at = now()
  where o.id = :id and o.id = any (:scope_organizations) and ${isDue}
  returning o.id, o.name, o.slug, o.email, ${customerEmailSettings} as customer_email_settings`

/** Publishes the state of organizations for services that keep a copy. The lock of the row orders it with changes. */
export const publishSnapshots = job({
  name: snapshotJobName,
  everyMs: 60_000,
  async run({ systemSql, transaction }) {
    const due = await systemSql<{ id: string }>('organization.find-unpublished', findDue)
    const failures: unknown[] = []
    for (const { id } of due) {
      const published = transaction(id, async ({ sql, publish }) => {
        const [payload] = await sql<PayloadOf<typeof organizationSnapshotted>>('organization.claim-snapshot', claim, { id })
        if (payload) publish({ event: organizationSnapshotted, aggregateId: id, organizationId: id, payload })
      })
      await published.catch((error: unknown) => failures.push(error))
    }
    // The others are published before: the failing one would be the first of every run.
    if (failures.length > 0) throw failures[0]
    return due.length === batch
  },
})
