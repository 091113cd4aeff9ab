import type { DatabaseDefinition } from '@quittance/runtime/database'
import { InvoiceSchema } from './invoices/invoice.ts'
import { correctInvoices } from './migrations/20261121010000-correct-invoices.ts'
import { electronicInvoices } from './migrations/20261121020000-electronic-invoices.ts'
import { retryGivenUp } from './migrations/20261122090000-retry-given-up.ts'
import { SellerSettingsSchema } from './settings/seller-settings.ts'
import { createInvoices } from './migrations/20261120120000-create-invoices.ts'
import { addCustomer } from './migrations/20261120220000-add-customer.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { lightenOutbox } from './migrations/20261122090000-lighten-outbox.ts'
import { narrowIndexes } from './migrations/20261122140000-narrow-outbox.ts'
import { chainDocuments } from './migrations/20261123091000-chain-documents.ts'
import { indexDueByOrganization } from './migrations/20261123094000-index-due-by-organization.ts'
import { parkMessages } from './migrations/20261123100000-park-messages.ts'
import { limitCreditNotes } from './migrations/20261123120000-limit-credit-notes.ts'
import { completeSellers } from './migrations/20261123161000-complete-sellers.ts'
import { guardIdentityByColumn } from './migrations/20261127023000-guard-identity-by-column.ts'
import { indexCorrections } from './migrations/20261127055000-index-corrections.ts'
import { recordTransferPayments } from './migrations/20261127122000-record-transfer-payments.ts'
import { storeConsumerPositions } from './migrations/20261127230000-store-consumer-positions.ts'
import { indexCreditNoteNumbers } from './migrations/20261129130000-index-credit-note-numbers.ts'
import { rights } from './permanence/runtime-rights.ts'

export const database: DatabaseDefinition = {
  entities: [InvoiceSchema, SellerSettingsSchema],
  migrations: [
    createInvoices,
    addCustomer,
    keepIdempotentReplies,
    correctInvoices,
    electronicInvoices,
    lightenOutbox,
    retryGivenUp,
    narrowIndexes,
    chainDocuments,
    indexDueByOrganization,
    parkMessages,
    limitCreditNotes,
    completeSellers,
    guardIdentityByColumn,
    indexCorrections,
    recordTransferPayments,
    storeConsumerPositions,
    indexCreditNoteNumbers,
  ],
  rights,
}
