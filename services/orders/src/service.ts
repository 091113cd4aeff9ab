import type { Handler } from '@quittance/runtime/handler'
import { compactListCounts } from '@quittance/runtime/list-counters'
import type { Service } from '@quittance/runtime/service'
import { addReceipt } from './bank-receipts/add-receipt.ts'
import { importStatement } from './bank-receipts/import-statement.ts'
import { listBankReceipts } from './bank-receipts/list-bank-receipts.ts'
import { markReceiptAsReturned } from './bank-receipts/mark-receipt-as-returned.ts'
import { markRefundAsPaid } from './bank-receipts/mark-refund-as-paid.ts'
import { createBenefit, deleteBenefit, updateBenefit } from './catalog/benefits/benefit-commands.ts'
import { getBenefit, listBenefits } from './catalog/benefits/benefit-queries.ts'
import { getCustomerBenefitGrant, listCustomerBenefitGrants } from './portal/customer-benefit-grants.ts'
import { listBenefitGrants } from './entitlements/list-benefit-grants.ts'
import { sweepDeletedBenefits } from './entitlements/sweep-deleted-benefits.ts'
import { createCheckoutLink, deleteCheckoutLink, updateCheckoutLink } from './checkout-links/checkout-link-commands.ts'
import { getCheckoutLink, listCheckoutLinks } from './checkout-links/checkout-link-queries.ts'
import { openCheckoutLink, sweepCheckoutLinkVisits } from './checkout-links/open-checkout-link.ts'
import { confirmCheckout } from './checkouts/confirm-checkout.ts'
import { createCheckout } from './checkouts/create-checkout.ts'
import { finishUnpaidChanges } from './subscriptions/finish-unpaid-changes.ts'
import { expireCheckouts } from './checkouts/expire-checkouts.ts'
import { sweepPaymentAttempts } from './checkouts/payment-attempts.ts'
import { getCheckout, getCheckoutByClient, listCheckouts } from './checkouts/checkout-queries.ts'
import { updateCheckout, updateCheckoutByClient } from './checkouts/update-checkout.ts'
import { createCustomerSession } from './customer-sessions/create-customer-session.ts'
import { endCustomerSession } from './customer-sessions/end-customer-session.ts'
import { sweepCustomerSessions, verifyCustomerSession } from './customer-sessions/customer-session.ts'
import { sweepCustomerCodes } from './customer-sessions/issue-code.ts'
import { authenticateCustomerSession, requestCustomerSession } from './customer-sessions/sign-in-by-code.ts'
import { createCustomer } from './customers/create-customer.ts'
import { deleteCustomer, deleteCustomerByExternalId } from './customers/delete-customer.ts'
import {
  getCustomer,
  getCustomerByExternalId,
  getCustomerState,
  getCustomerStateByExternalId,
  listCustomers,
} from './customers/customer-queries.ts'
import { forgetDeclarationNetworks } from './portal/count-declarations.ts'
import { declareCancellation, declareWithdrawal } from './portal/declare.ts'
import { listDeclarations } from './portal/list-declarations.ts'
import { getPortalCustomer, updatePortalCustomer } from './portal/portal-customer.ts'
import { requestEmailUpdate, verifyEmailUpdate } from './portal/update-email.ts'
import { updateCustomer, updateCustomerByExternalId } from './customers/update-customer.ts'
import { config } from './config.ts'
import { database } from './database.ts'
import { createDiscount, deleteDiscount, updateDiscount } from './catalog/discounts/discount-commands.ts'
import { getDiscount, listDiscounts } from './catalog/discounts/discount-queries.ts'
import {
  activateLicenseKey,
  activateSoldLicenseKey,
  deactivateLicenseKey,
  deactivateSoldLicenseKey,
  updateLicenseKey,
} from './entitlements/license-key-commands.ts'
import { getCustomerLicenseKey, listCustomerLicenseKeys } from './portal/customer-license-keys.ts'
import { getLicenseKey, getLicenseKeyActivation, listLicenseKeys } from './entitlements/license-key-queries.ts'
import { validateLicenseKey, validateSoldLicenseKey } from './entitlements/validate-license-key.ts'
import { exportOrders, getMetricsLimits, getOrder, listOrders } from './orders/order-queries.ts'
import { addCustomerPaymentMethod, confirmCustomerPaymentMethod } from './portal/add-payment-method.ts'
import { confirmOrderPayment } from './portal/confirm-order-payment.ts'
import {
  deleteCustomerPaymentMethod,
  listCustomerPaymentMethods,
  setDefaultCustomerPaymentMethod,
} from './portal/customer-payment-methods.ts'
import { generateCustomerOrderInvoice, getCustomerOrder, listCustomerOrders, updateCustomerOrder } from './portal/customer-orders.ts'
import { generateOrderInvoice } from './orders/request-invoice.ts'
import { onInvoiceGenerated } from './orders/on-invoice-generated.ts'
import { updateOrder } from './orders/update-order.ts'
import { advanceTestClock } from './subscriptions/advance-test-clock.ts'
import { getPortalOrganization } from './portal/portal-organization.ts'
import { onInvoiceSettingsUpdated } from './organizations/invoice-requirements.ts'
import { onOrganizationChanged } from './organizations/on-organization-changed.ts'
import { getPaymentSettings, updatePaymentSettings } from './organizations/payment-settings.ts'
import { startPaymentJobs } from './payment-jobs.ts'
import { listStuckPayments, recheckPayment, showPayment } from './payment-operations/payment-operations.ts'
import { reconcilePayments } from './payment-operations/reconcile-payments.ts'
import { resolvePayment } from './payment-operations/resolve-payment.ts'
import { assertSandboxIsPrivate } from './providers/provider-of.ts'
import { reactions } from './reactions.ts'
import { resealCredentials } from './providers/account-credentials.ts'
import { anonymizeAbandonedCheckouts } from './personal-data/anonymize-checkouts.ts'
import { anonymizeCustomers } from './personal-data/anonymize-customers.ts'
import { createProduct, updateProduct } from './catalog/products/product-commands.ts'
import { getProduct, listProducts } from './catalog/products/product-queries.ts'
import { updateProductBenefits } from './catalog/products/update-product-benefits.ts'
import { createPaymentAccount } from './payment-accounts/create-payment-account.ts'
import { getPaymentAccount, listPaymentAccounts } from './payment-accounts/payment-account-queries.ts'
import { checkPaymentAccount, deletePaymentAccount, updatePaymentAccount } from './payment-accounts/update-payment-account.ts'
import { catchUpProviderEvents } from './provider-events/catch-up-events.ts'
import { completeSandboxAction } from './provider-events/complete-sandbox-action.ts'
import { replayProviderEvents } from './provider-events/replay-provider-events.ts'
import { receiveProviderEvent } from './provider-events/receive-provider-event.ts'
import { getDispute, listDisputes } from './disputes/dispute-queries.ts'
import { listPaymentMethodsOfCustomer } from './payment-methods/list-payment-methods.ts'
import { createRefund } from './refunds/create-refund.ts'
import { listRefunds } from './refunds/list-refunds.ts'
import { getPayment, listPayments } from './payments/payment-queries.ts'
import { getPaymentTimeline } from './payments/payment-timeline.ts'
import { voidOrder } from './payments/void-order.ts'
import { cancelCustomerSubscription, getCustomerSubscription, listCustomerSubscriptions } from './portal/customer-subscriptions.ts'
import { previewCustomerSubscriptionChange, updateCustomerSubscription } from './portal/update-customer-subscription.ts'
import { exportSubscriptions, getSubscription, listSubscriptions } from './subscriptions/subscription-queries.ts'
import { retryOrderPayment } from './subscriptions/retry-order-payment.ts'
import { retryFinalOrders } from './subscriptions/retry-final-orders.ts'
import { announceRenewals } from './subscriptions/announce-renewals.ts'
import { announceTrialEnds } from './subscriptions/announce-trial-ends.ts'
import { syncProductBenefits } from './subscriptions/sync-product-benefits.ts'
import { renewDueSubscriptions } from './subscriptions/renew-due-subscriptions.ts'
import { previewSubscriptionChange } from './subscriptions/preview-change.ts'
import { revokeSubscription, updateSubscription } from './subscriptions/update-subscription.ts'
import { createTaxRate, deleteTaxRate, updateTaxRate } from './catalog/taxes/tax-rate-commands.ts'
import { getTaxRate, listTaxRates } from './catalog/taxes/tax-rate-queries.ts'

/** Operations by their subject. */
const operations: Record<string, readonly Handler[]> = {
  products: [createProduct, getProduct, listProducts, updateProduct, updateProductBenefits],
  taxRates: [createTaxRate, getTaxRate, listTaxRates, updateTaxRate, deleteTaxRate],
  benefits: [createBenefit, getBenefit, listBenefits, updateBenefit, deleteBenefit, listBenefitGrants],
  discounts: [createDiscount, getDiscount, listDiscounts, updateDiscount, deleteDiscount],
  customers: [createCustomer, getCustomer, listCustomers, updateCustomer, deleteCustomer, getCustomerState],
  externalCustomers: [getCustomerByExternalId, updateCustomerByExternalId, deleteCustomerByExternalId, getCustomerStateByExternalId],
  customerSessions: [createCustomerSession, verifyCustomerSession, endCustomerSession, requestCustomerSession, authenticateCustomerSession],
  checkouts: [createCheckout, getCheckout, listCheckouts, getCheckoutByClient, updateCheckout, updateCheckoutByClient, confirmCheckout],
  checkoutLinks: [createCheckoutLink, getCheckoutLink, listCheckoutLinks, updateCheckoutLink, deleteCheckoutLink, openCheckoutLink],
  orders: [exportOrders, getMetricsLimits, getOrder, listOrders, updateOrder, generateOrderInvoice, retryOrderPayment, voidOrder],
  refunds: [createRefund, listRefunds, markRefundAsPaid],
  payments: [getPayment, listPayments, getPaymentTimeline, getPaymentSettings, updatePaymentSettings, listPaymentMethodsOfCustomer],
  disputes: [getDispute, listDisputes],
  paymentAccounts: [
    createPaymentAccount,
    getPaymentAccount,
    listPaymentAccounts,
    updatePaymentAccount,
    deletePaymentAccount,
    checkPaymentAccount,
  ],
  bankReceipts: [addReceipt, importStatement, listBankReceipts, markReceiptAsReturned],
  paymentOperations: [
    receiveProviderEvent,
    completeSandboxAction,
    listStuckPayments,
    showPayment,
    recheckPayment,
    resolvePayment,
    reconcilePayments,
    replayProviderEvents,
  ],
  subscriptions: [
    exportSubscriptions,
    getSubscription,
    listSubscriptions,
    updateSubscription,
    previewSubscriptionChange,
    revokeSubscription,
    advanceTestClock,
  ],
  portal: [getPortalCustomer, updatePortalCustomer, requestEmailUpdate, verifyEmailUpdate, getPortalOrganization],
  portalGrants: [listCustomerBenefitGrants, getCustomerBenefitGrant],
  portalSubscriptions: [
    getCustomerSubscription,
    listCustomerSubscriptions,
    updateCustomerSubscription,
    previewCustomerSubscriptionChange,
    cancelCustomerSubscription,
  ],
  portalOrders: [getCustomerOrder, listCustomerOrders, updateCustomerOrder, generateCustomerOrderInvoice, confirmOrderPayment],
  portalPaymentMethods: [
    listCustomerPaymentMethods,
    deleteCustomerPaymentMethod,
    setDefaultCustomerPaymentMethod,
    addCustomerPaymentMethod,
    confirmCustomerPaymentMethod,
  ],
  declarations: [declareWithdrawal, declareCancellation, listDeclarations],
  licenseKeys: [
    listLicenseKeys,
    getLicenseKey,
    getLicenseKeyActivation,
    updateLicenseKey,
    validateLicenseKey,
    activateLicenseKey,
    deactivateLicenseKey,
    validateSoldLicenseKey,
    activateSoldLicenseKey,
    deactivateSoldLicenseKey,
  ],
  portalLicenseKeys: [listCustomerLicenseKeys, getCustomerLicenseKey],
}

/** Products, customers, checkouts and the resulting orders. */
export const orders: Service = {
  name: 'orders',
  readConfig: () => assertSandboxIsPrivate(config()),
  database,
  handlers: Object.values(operations).flat(),
  consumers: [onOrganizationChanged, onInvoiceSettingsUpdated, onInvoiceGenerated],
  reactions,
  components: [startPaymentJobs],
  jobs: [
    renewDueSubscriptions,
    announceRenewals,
    announceTrialEnds,
    retryFinalOrders,
    finishUnpaidChanges,
    expireCheckouts,
    anonymizeAbandonedCheckouts,
    anonymizeCustomers,
    sweepPaymentAttempts,
    sweepCheckoutLinkVisits,
    forgetDeclarationNetworks,
    sweepCustomerSessions,
    sweepCustomerCodes,
    sweepDeletedBenefits,
    syncProductBenefits,
    compactListCounts,
    catchUpProviderEvents,
    resealCredentials,
  ],
}
