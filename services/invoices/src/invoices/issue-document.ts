import type { InvoiceSource } from '@quittance/contracts/orders'
import type { Transaction } from '@quittance/runtime/handler'
import { takeNumber } from '../series/take-number.ts'
import { settingsOf } from '../settings/settings-of.ts'
import type { FrozenDocument } from './frozen-document.ts'
import { Invoice, type DocumentKind } from './invoice.ts'
import { frozenFor } from './printed-of.ts'

/** What is issued beside what the order says. */
export interface Issue {
  kind: DocumentKind
  source: InvoiceSource
  correctsId?: string
  replacesId?: string
  refundId?: string | null
  /** Where it says something else than the order does. */
  changed?: (frozen: FrozenDocument) => FrozenDocument
}

/** Number, content and row in one transaction: whatever happens afterwards, the document says what was so at this moment. */
export async function issueDocument(issue: Issue, context: Transaction): Promise<Invoice> {
  const { em, rows, now } = context
  const { kind, source } = issue
  const { id: organizationId } = source.organization
  const settings = await settingsOf(source.organization, context)
  const taken = await takeNumber(rows, { organizationId, kind, numbering: settings.numbering(), now })
  const invoice = em.create(Invoice, {
    ...taken,
    organizationId,
    kind,
    orderId: source.order_id,
    status: 'requested',
    source,
    printed: null,
    correctsId: issue.correctsId ?? null,
    replacesId: issue.replacesId ?? null,
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
  const frozen = frozenFor({ id: invoice.id, kind, number: taken.number, source, settings, issuedAt: now })
  invoice.printed = issue.changed ? issue.changed(frozen) : frozen
  await em.flush()
  return invoice
}
