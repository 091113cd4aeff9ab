import type { Transaction } from '@quittance/runtime/handler'
import { allocateNumber } from '../series/allocate-number.ts'
import { loadSettings } from '../settings/load-settings.ts'
import type { DocumentSnapshot, DocumentSource } from './document-snapshot.ts'
import type { DocumentKind } from '../series/number-format.ts'
import { Invoice } from './invoice.ts'
import { createSnapshot } from './create-snapshot.ts'

/** A document to issue for an order. */
export interface IssueRequest {
  kind: DocumentKind
  source: DocumentSource
  correctsId?: string
  replacesId?: string
  reversesId?: string
  refundId?: string | null
  /** Changes the snapshot where the document differs from the order. */
  adjust?: (snapshot: DocumentSnapshot) => DocumentSnapshot
}

/**
 * Allocates the number and inserts the row with its content in one transaction, so the document always reflects the state at the time of
 * issue.
 */
export async function issueDocument(issue: IssueRequest, context: Transaction): Promise<Invoice> {
  const { em, sql, now } = context
  const { kind, source } = issue
  const { id: organizationId } = source.organization
  const settings = await loadSettings(source.organization, context)
  const allocated = await allocateNumber(sql, { organizationId, kind, numbering: settings.numbering(), now })
  const invoice = em.create(Invoice, {
    ...allocated,
    organizationId,
    kind,
    orderId: source.order_id,
    status: 'requested',
    source,
    printed: null,
    correctsId: issue.correctsId ?? null,
    replacesId: issue.replacesId ?? null,
    reversesId: issue.reversesId ?? null,
    refundId: issue.refundId ?? null,
    requestedAt: now,
    generatedAt: null,
    format: null,
    notElectronic: [],
    attempts: 0,
    nextAttemptAt: now,
    leasedUntil: null,
    lastError: null,
  })
  const snapshot = createSnapshot({ id: invoice.id, kind, number: allocated.number, source, settings, issuedAt: now })
  invoice.printed = issue.adjust ? issue.adjust(snapshot) : snapshot
  await em.flush()
  return invoice
}

/** Serializes what reads the documents of an order and issues more of them: a correction, and the events of its refunds. */
export function lockDocuments({ lockNames }: Pick<Transaction, 'lockNames'>, orderId: string): Promise<void> {
  return lockNames([`documents of order ${orderId}`])
}
