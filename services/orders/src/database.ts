import type { DatabaseDefinition } from '@quittance/runtime/database'
import { BenefitGrantSchema } from './entitlements/benefit-grant.ts'
import { BenefitSchema } from './catalog/benefits/benefit.ts'
import { CheckoutLinkSchema } from './checkout-links/checkout-link.ts'
import { CheckoutSchema } from './checkouts/checkout.ts'
import { CustomerSessionSchema } from './customer-sessions/customer-session.ts'
import { CustomerSchema } from './customers/customer.ts'
import { DiscountSchema } from './catalog/discounts/discount.ts'
import { LicenseKeyActivationSchema, LicenseKeySchema } from './entitlements/license-key.ts'
import { createOrders } from './migrations/20261120120000-create-orders.ts'
import { addCustomerPortal } from './migrations/20261120220000-add-customer-portal.ts'
import { createRefunds } from './migrations/20261120230000-create-refunds.ts'
import { deleteDiscounts } from './migrations/20261121010000-delete-discounts.ts'
import { createSubscriptions } from './migrations/20261121020000-create-subscriptions.ts'
import { keepIdempotentReplies } from './migrations/20261121000000-keep-idempotent-replies.ts'
import { createBenefits } from './migrations/20261121030000-create-benefits.ts'
import { keepOnePrice } from './migrations/20261121040000-keep-one-price.ts'
import { carryTraces } from './migrations/20261122050000-carry-traces.ts'
import { chargeTax } from './migrations/20261121050000-charge-tax.ts'
import { tryAgain } from './migrations/20261121055000-try-again.ts'
import { upgradeByCheckout } from './migrations/20261121056000-upgrade-by-checkout.ts'
import { checkRefunds } from './migrations/20261121057000-check-refunds.ts'
import { addInvoiceDetails } from './migrations/20261121059000-tell-invoices-more.ts'
import { countLists } from './migrations/20261121060000-count-lists.ts'
import { indexLists } from './migrations/20261121070000-index-lists.ts'
import { createLicenseKeys } from './migrations/20261121080000-create-license-keys.ts'
import { lightenOutbox } from './migrations/20261122090000-lighten-outbox.ts'
import { countListChanges } from './migrations/20261122130000-count-changes.ts'
import { narrowIndexes } from './migrations/20261122140000-narrow-outbox.ts'
import { bindSessions } from './migrations/20261123003000-bind-sessions.ts'
import { stageRefunds } from './migrations/20261123004500-stage-refunds.ts'
import { parkMessages } from './migrations/20261123100000-park-messages.ts'
import { boundCredits } from './migrations/20261123120000-bound-credits.ts'
import { matchDiscountCurrency } from './migrations/20261123121000-match-discount-currency.ts'
import { showInvoiceNumbers } from './migrations/20261123130000-show-invoice-numbers.ts'
import { modelPayments } from './migrations/20261123140000-model-payments.ts'
import { keepLedger } from './migrations/20261123141000-keep-ledger.ts'
import { completePayments } from './migrations/20261123142000-complete-payments.ts'
import { createProviderTables } from './migrations/20261123143000-create-provider-tables.ts'
import { createCustomerCodes } from './migrations/20261123172000-create-customer-codes.ts'
import { requireSellerDetails } from './migrations/20261123162000-require-seller-details.ts'
import { rateLines } from './migrations/20261123160000-rate-lines.ts'
import { receiveTransfers } from './migrations/20261123150000-receive-transfers.ts'
import { createDeclarations } from './migrations/20261123173000-create-declarations.ts'
import { snapshotCustomers } from './migrations/20261123180100-snapshot-customers.ts'
import { limitDeclines } from './migrations/20261123200000-limit-declines.ts'
import { keepInvoicedOrders } from './migrations/20261125010000-keep-invoiced-orders.ts'
import { knowPageOrigins } from './migrations/20261124200000-know-page-origins.ts'
import { announceRenewals } from './migrations/20261124203000-announce-renewals.ts'
import { countSetups } from './migrations/20261125022000-count-setups.ts'
import { resolveSetups } from './migrations/20261125043000-resolve-setups.ts'
import { endCanceledSubscriptions } from './migrations/20261127053000-end-canceled-subscriptions.ts'
import { indexPayments } from './migrations/20261127061000-index-payments.ts'
import { limitDeclarations } from './migrations/20261127083000-limit-declarations.ts'
import { rememberInvoiceNumbers } from './migrations/20261127123000-remember-invoice-numbers.ts'
import { shareClaims } from './migrations/20261127181500-share-claims.ts'
import { shareOtherClaims } from './migrations/20261127194500-share-other-claims.ts'
import { shareDetachClaims } from './migrations/20261127233600-share-detach-claims.ts'
import { countPayments } from './migrations/20261128150000-count-payments.ts'
import { indexLookups } from './migrations/20261128200000-index-lookups.ts'
import { voidOrders } from './migrations/20261129160000-void-orders.ts'
import { returnReceipts } from './migrations/20261129170000-return-receipts.ts'
import { indexBookings } from './migrations/20261129200000-index-bookings.ts'
import { recordProofOfSessions } from './migrations/20261129210000-record-proof-of-sessions.ts'
import { dateBillingChanges } from './migrations/20261129213000-date-billing-changes.ts'
import { acceptSubscriptions } from './migrations/20261130020000-accept-subscriptions.ts'
import { recordPeriodTerms } from './migrations/20261130040000-record-period-terms.ts'
import { recordUnpaidChanges } from './migrations/20261130041000-record-unpaid-changes.ts'
import { voidOrdersWithoutInvoice } from './migrations/20261130041500-void-orders-without-invoice.ts'
import { indexProrations } from './migrations/20261130043000-index-prorations.ts'
import { syncProductBenefits } from './migrations/20261130050000-sync-product-benefits.ts'
import { indexExports } from './migrations/20261130200000-index-exports.ts'
import { indexAnnouncements } from './migrations/20261201000000-index-announcements.ts'
import { sandboxDisputes } from './migrations/20261201120000-sandbox-disputes.ts'
import { moveReceipts } from './migrations/20261201131000-move-receipts.ts'
import { indexUnappliedReceipts } from './migrations/20261201132000-index-unapplied-receipts.ts'
import { indexFailedPayments } from './migrations/20261201140000-index-failed-payments.ts'
import { anonymizeCheckouts } from './migrations/20261201151000-anonymize-checkouts.ts'
import { anonymizeCustomers } from './migrations/20261201150000-anonymize-customers.ts'
import { validateRelaxedChecks } from './migrations/20261130042000-validate-relaxed-checks.ts'
import { proveNewAddresses } from './migrations/20261130030000-prove-new-addresses.ts'
import { offerTrials } from './migrations/20261125020000-offer-trials.ts'
import { setDunning } from './migrations/20261125013000-set-dunning.ts'
import { detachMethods } from './migrations/20261124210000-detach-methods.ts'
import { createCheckoutLinks } from './migrations/20261124201000-create-checkout-links.ts'
import { listPayments } from './migrations/20261123144000-list-payments.ts'
import { recordResolutions } from './migrations/20261124100000-record-resolutions.ts'
import { planProducts } from './migrations/20261124101000-plan-products.ts'
import { storeConsumerPositions } from './migrations/20261127230000-store-consumer-positions.ts'
import { OrderSchema } from './orders/order.ts'
import { OrderItemSchema } from './orders/order-item.ts'
import { PaymentAccountSchema } from './payment-accounts/payment-account.ts'
import { PaymentSetupSchema } from './payment-setups/payment-setup.ts'
import { PaymentSchema } from './payments/payment.ts'
import { ProductSchema, ProductPriceSchema } from './catalog/products/product.ts'
import { RefundSchema } from './refunds/refund.ts'
import { ProrationSchema } from './subscriptions/prorations.ts'
import { SubscriptionSchema } from './subscriptions/subscription-schema.ts'
import { UnpaidChangeSchema } from './subscriptions/unpaid-change.ts'
import { TaxRateSchema } from './catalog/taxes/tax-rate.ts'

export const database: DatabaseDefinition = {
  entities: [
    ProductSchema,
    ProductPriceSchema,
    BenefitSchema,
    BenefitGrantSchema,
    LicenseKeySchema,
    LicenseKeyActivationSchema,
    DiscountSchema,
    CustomerSchema,
    CustomerSessionSchema,
    CheckoutSchema,
    CheckoutLinkSchema,
    OrderSchema,
    OrderItemSchema,
    PaymentAccountSchema,
    PaymentSchema,
    PaymentSetupSchema,
    RefundSchema,
    SubscriptionSchema,
    ProrationSchema,
    UnpaidChangeSchema,
    TaxRateSchema,
  ],
  migrations: [
    createOrders,
    addCustomerPortal,
    createRefunds,
    keepIdempotentReplies,
    deleteDiscounts,
    createSubscriptions,
    createBenefits,
    keepOnePrice,
    chargeTax,
    tryAgain,
    upgradeByCheckout,
    checkRefunds,
    addInvoiceDetails,
    countLists,
    indexLists,
    createLicenseKeys,
    carryTraces,
    lightenOutbox,
    countListChanges,
    narrowIndexes,
    bindSessions,
    stageRefunds,
    parkMessages,
    boundCredits,
    matchDiscountCurrency,
    showInvoiceNumbers,
    modelPayments,
    keepLedger,
    completePayments,
    createProviderTables,
    listPayments,
    receiveTransfers,
    createCustomerCodes,
    rateLines,
    requireSellerDetails,
    createDeclarations,
    snapshotCustomers,
    limitDeclines,
    recordResolutions,
    planProducts,
    knowPageOrigins,
    createCheckoutLinks,
    announceRenewals,
    detachMethods,
    keepInvoicedOrders,
    setDunning,
    offerTrials,
    countSetups,
    resolveSetups,
    endCanceledSubscriptions,
    indexPayments,
    limitDeclarations,
    rememberInvoiceNumbers,
    shareClaims,
    shareOtherClaims,
    storeConsumerPositions,
    shareDetachClaims,
    countPayments,
    indexLookups,
    voidOrders,
    returnReceipts,
    indexBookings,
    recordProofOfSessions,
    dateBillingChanges,
    acceptSubscriptions,
    proveNewAddresses,
    recordPeriodTerms,
    recordUnpaidChanges,
    voidOrdersWithoutInvoice,
    validateRelaxedChecks,
    indexProrations,
    syncProductBenefits,
    indexExports,
    indexAnnouncements,
    sandboxDisputes,
    moveReceipts,
    indexUnappliedReceipts,
    indexFailedPayments,
    anonymizeCustomers,
    anonymizeCheckouts,
  ],
  // Marks the rows of this release: triggers of migrations complete those of earlier ones.
  settings: { 'quittance.payments': 'port', 'quittance.period_terms': 'recorded' },
  // Entries of the ledger, resolutions and receipts are only inserted; a receipt is assigned to a payment that takes money of it, or returned,
  // once. The bank completes who sent it and for what.
  rights: {
    tables: {
      ledger_entries: { insert: true, update: [], delete: false },
      payment_resolutions: { insert: true, update: [], delete: false },
      bank_receipts: {
        insert: true,
        update: ['payment_id', 'reference', 'payer_name', 'unapplied_amount', 'returned_amount', 'returned_at', 'modified_at', 'version'],
        delete: false,
      },
    },
  },
}
