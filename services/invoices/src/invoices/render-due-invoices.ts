import { createHash } from 'node:crypto'
import { invoiceGenerated } from '@quittance/contracts/invoices'
import { countOf } from '@quittance/runtime/health'
import { job, type JobContext } from '@quittance/runtime/handler'
import { storeDocument } from '../documents/document-store.ts'
import { NotLent } from '../rendering/lending.ts'
import type { FrozenDocument } from './frozen-document.ts'
import { Invoice, maxAttempts, type DocumentKind } from './invoice.ts'
import { makeDocument, type Made } from './make-document.ts'
import { renderingLanes } from './rendering-lanes.ts'

interface Claimed {
  id: string
  kind: DocumentKind
  printed: string | null
  organization_id: string
  number: string
  attempts: number
}

const claim = `
  update invoices set leased_until = now() + :lease * interval '1 millisecond', attempts = attempts + 1, version = version + 1
  where id = (
    select id from invoices
    where status = 'requested' and next_attempt_at <= now() and (leased_until is null or leased_until < now())
    order by next_attempt_at limit 1 for update skip locked)
  returning id, organization_id, kind, number, printed::text as printed, attempts`

const renew = `
  update invoices set leased_until = now() + :lease * interval '1 millisecond'
  where id = :id and attempts = :attempts and status = 'requested'`

const handBack = `
  update invoices set leased_until = null, attempts = attempts - 1, version = version + 1
  where id = :id and attempts = :attempts and status = 'requested'`

// The database refuses any change from here on.
const markGenerated = `
  update invoices set status = 'generated', format = :format, not_electronic = :not_electronic::jsonb, generated_at = :now::timestamptz,
    next_attempt_at = null, leased_until = null, last_error = null, modified_at = :now::timestamptz, version = version + 1
  where id = :id returning order_id`

/**
 * Renders what is due. A replica that dies leaves a lease that runs out; a result whose lease was lost is thrown away, so an
 * invoice gets one document, whatever happens. All lanes are woken for what comes in; one is enough to look for what is tried again.
 */
export const renderDueInvoices = renderingLanes.map((name, index) => job({ name, everyMs: index === 0 ? 1_000 : 5_000, run: renderNext }))

async function renderNext(context: JobContext): Promise<boolean> {
  const [claimed] = await context.rows<Claimed>('invoice.claim', claim, { lease: context.leaseMs })
  if (!claimed) return false
  const { id, attempts } = claimed
  const begun = performance.now()
  const renewal = setInterval(() => {
    context.rows('invoice.renew', renew, { id, attempts, lease: context.leaseMs }).catch(() => {})
  }, context.leaseMs / 3)
  try {
    await store(context, { claimed, begun, made: await make(context, claimed) })
  } catch (error) {
    if (error instanceof NotLent) {
      await context.rows('invoice.hand-back', handBack, { id, attempts })
      return false
    }
    await recordFailure(context, { claimed, error })
  } finally {
    clearInterval(renewal)
  }
  return true
}

function make({ log }: JobContext, { printed, attempts }: Claimed): Promise<Made> {
  // Nobody recorded the last try as failed: it took its process with it, and one more would do it again.
  if (attempts > maxAttempts) throw new Error('Rendering did not survive any try')
  if (printed === null) throw new Error('It was issued before contents were kept')
  return makeDocument(JSON.parse(printed) as FrozenDocument, log)
}

interface Rendered {
  claimed: Claimed
  begun: number
  made: Made
}

async function store(context: JobContext, { claimed, begun, made }: Rendered): Promise<void> {
  const { id, organization_id: organizationId, number, attempts } = claimed
  const { content } = made
  const sha256 = createHash('sha256').update(content).digest('hex')
  const stored = await context.transaction(organizationId, async ({ rows, publish, now }) => {
    if (!(await storeDocument(rows, { invoiceId: id, attempts, content, sha256, now }))) return false
    const marked = { id, format: made.format, not_electronic: JSON.stringify(made.notElectronic), now }
    const [invoice] = await rows<{ order_id: string }>('invoice.mark-generated', markGenerated, marked)
    // A credit note changes nothing of its order.
    if (!invoice || claimed.kind === 'credit_note') return true
    const payload = { invoice_id: id, order_id: invoice.order_id, number, sha256, generated_at: now.toISOString() }
    publish({ event: invoiceGenerated, aggregateId: id, organizationId, payload })
    return true
  })
  const duration_ms = Math.round(performance.now() - begun)
  const fields = {
    invoice_id: id,
    organization_id: organizationId,
    attempt: attempts,
    bytes: content.length,
    format: made.format,
    duration_ms,
  }
  context.log.info(fields, stored ? 'invoice.generated' : 'invoice.result-discarded')
}

const givenUp = countOf('invoices_given_up_total', 'Invoices that could not be rendered in any try.')

async function recordFailure(context: JobContext, { claimed, error }: { claimed: Claimed; error: unknown }): Promise<void> {
  const { id, organization_id: organizationId, attempts } = claimed
  const status = await context.transaction(organizationId, async ({ em, now }) => {
    const invoice = await em.findOneOrFail(Invoice, id)
    if (invoice.isHeldBy(attempts)) invoice.recordFailure(String(error).slice(0, 500), now)
    return invoice.status
  })
  const fields = { err: error, invoice_id: id, organization_id: organizationId, attempt: attempts }
  if (status === 'failed') {
    givenUp.inc()
    context.log.error(fields, 'invoice.given-up')
  } else context.log.warn(fields, 'invoice.rendering-failed')
}
