import { createHash } from 'node:crypto'
import { counter } from '@quittance/runtime/metrics'
import { job, type JobContext } from '@quittance/runtime/handler'
import { storeDocument } from '../documents/document-store.ts'
import { PoolTimeout } from '../threads/resource-pool.ts'
import type { DocumentSnapshot } from './document-snapshot.ts'
import { canClaimMore, claimInvoice, releaseRun, type ClaimedInvoice } from './claim-invoice.ts'
import { Invoice, maxAttempts } from './invoice.ts'
import { publishGenerated } from './publish-generated.ts'
import { renderDocument, type RenderedDocument } from './render-document.ts'
import { renderingJobName, renderingRuns } from './rendering-jobs.ts'

// A renewal that arrives after the end of its attempt must not lease the document again: that would delay the next attempt.
export const renewStatement = `
  update invoices set leased_until = now() + :lease * interval '1 millisecond'
  where id = :id and attempts = :attempts and status = 'requested' and leased_until is not null`

const release = `
  update invoices set leased_until = null, attempts = attempts - 1, version = version + 1
  where id = :id and attempts = :attempts and status = 'requested'`

// After this update the database rejects any change.
const markGenerated = `
  update invoices set status = 'generated', format = :format, not_electronic = :not_electronic::jsonb, generated_at = :now::timestamptz,
    next_attempt_at = null, leased_until = null, last_error = null, modified_at = :now::timestamptz, version = version + 1
  where id = :id and organization_id = any (:scope_organizations) returning order_id, customer_id`

/**
 * Renders due invoices. The lease of a crashed replica expires, and a result with a lost lease is discarded, so an invoice has exactly one
 * document.
 */
export const renderDueInvoices = job({ name: renderingJobName, everyMs: 1_000, concurrency: renderingRuns, run: renderNext })

async function renderNext(context: JobContext): Promise<boolean> {
  const claimed = await claimInvoice(context)
  if (!claimed) return false
  if (canClaimMore(claimed)) context.runAgain()
  const { id, attempts } = claimed
  const startedAt = performance.now()
  const renewal = setInterval(() => {
    context
      .systemSql('invoice.renew', renewStatement, { id, attempts, lease: context.leaseMs })
      .catch((error: unknown) => context.log.warn({ err: error, invoice_id: id }, 'rendering.lease-not-renewed'))
  }, context.leaseMs / 3)
  let wasShareUsed = false
  try {
    await store(context, { claimed, startedAt, document: await render(context, claimed) })
  } catch (error) {
    if (error instanceof PoolTimeout) {
      await context.systemSql('invoice.release', release, { id, attempts })
      return false
    }
    await recordFailure(context, { claimed, error })
  } finally {
    clearInterval(renewal)
    wasShareUsed = releaseRun(claimed)
  }
  // Later documents have woken the job, in vain if their organization had its share.
  return claimed.has_more || wasShareUsed
}

function render({ log }: JobContext, { printed, attempts, organization_id: owner }: ClaimedInvoice): Promise<RenderedDocument> {
  // The last attempt was not recorded as failed: it crashed the process, and another attempt would do so again.
  if (attempts > maxAttempts) throw new Error('Rendering crashed the process in the last attempt')
  if (printed === null) throw new Error('The document was issued before contents were stored')
  return renderDocument({ owner, snapshot: JSON.parse(printed) as DocumentSnapshot, log })
}

interface Rendered {
  claimed: ClaimedInvoice
  startedAt: number
  document: RenderedDocument
}

async function store(context: JobContext, { claimed, startedAt, document }: Rendered): Promise<void> {
  const { id, organization_id: organizationId, attempts } = claimed
  const { content } = document
  const sha256 = createHash('sha256').update(content).digest('hex')
  const stored = await context.transaction(organizationId, async ({ sql, publish, now }) => {
    if (!(await storeDocument(sql, { invoiceId: id, attempts, content, sha256, now }))) return false
    const marked = { id, format: document.format, not_electronic: JSON.stringify(document.notElectronic), now }
    const [stored] = await sql<{ order_id: string; customer_id: string | null }>('invoice.mark-generated', markGenerated, marked)
    if (stored) publishGenerated({ claimed, ...stored, sha256 }, { publish, now })
    return true
  })
  const duration_ms = Math.round(performance.now() - startedAt)
  const fields = {
    invoice_id: id,
    organization_id: organizationId,
    attempt: attempts,
    bytes: content.length,
    format: document.format,
    duration_ms,
  }
  context.log.info(fields, stored ? 'invoice.generated' : 'invoice.result-discarded')
}

const failedInvoices = counter('invoices_given_up_total', 'Invoices that failed in all rendering attempts.')

async function recordFailure(context: JobContext, { claimed, error }: { claimed: ClaimedInvoice; error: unknown }): Promise<void> {
  const { id, organization_id: organizationId, attempts } = claimed
  const status = await context.transaction(organizationId, async ({ em, now }) => {
    const invoice = await em.findOneOrFail(Invoice, id)
    if (invoice.isLeasedBy(attempts)) invoice.recordFailure(String(error).slice(0, 500), now)
    return invoice.status
  })
  const fields = { err: error, invoice_id: id, organization_id: organizationId, attempt: attempts }
  if (status === 'failed') {
    failedInvoices.inc()
    context.log.error(fields, 'invoice.failed')
  } else context.log.warn(fields, 'invoice.rendering-failed')
}
