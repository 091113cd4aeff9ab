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
import { expireCheckouts } from './checkouts/expire-checkouts.ts'
import { sweepPaymentAttempts } from './checkouts/payment-attempts.ts'
import { getCheckout, getCheckoutByClient, listCheckouts } from './checkouts/checkout-queries.ts'
import { updateCheckout, updateCheckoutByClient } from './checkouts/update-checkout.ts'
import { createCustomerSession } from './customer-sessions/create-customer-session.ts'
import { endCustomerSession } from './customer-sessions/end-customer-session.ts'
import { sweepCustomerSessions, verifyCustomerSession } from './customer-sessions/customer-session.ts'
import { authenticateCustomerSession, requestCustomerSession, sweepCustomerCodes } from './customer-sessions/sign-in-by-code.ts'
import { createCustomer } from './customers/create-customer.ts'
import { deleteCustomer, deleteCustomerByExternalId } from './customers/delete-customer.ts'
import {
  getCustomer,
  getCustomerByExternalId,
  getCustomerState,
  getCustomerStateByExternalId,
  listCustomers,
} from './customers/customer-queries.ts'
import { declareCancellation, declareWithdrawal, forgetDeclarationNetworks } from './portal/declare.ts'
import { listDeclarations } from './portal/list-declarations.ts'
import { getPortalCustomer, updatePortalCustomer } from './portal/portal-customer.ts'
import { updateCustomer, updateCustomerByExternalId } from './customers/update-customer.ts'
import { database } from './database.ts'
import { createDiscount, deleteDiscount, updateDiscount } from './catalog/discounts/discount-commands.ts'
import { getDiscount, listDiscounts } from './catalog/discounts/discount-queries.ts'
import { activateLicenseKey, deactivateLicenseKey, updateLicenseKey } from './entitlements/license-key-commands.ts'
import { getCustomerLicenseKey, listCustomerLicenseKeys } from './portal/customer-license-keys.ts'
import { getLicenseKey, getLicenseKeyActivation, listLicenseKeys } from './entitlements/license-key-queries.ts'
import { validateLicenseKey } from './entitlements/validate-license-key.ts'
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
import { reactions } from './reactions.ts'
import { createProduct, updateProduct } from './catalog/products/product-commands.ts'
import { getProduct, listProducts } from './catalog/products/product-queries.ts'
import { updateProductBenefits } from './catalog/products/update-product-benefits.ts'
import { createPaymentAccount } from './payment-accounts/create-payment-account.ts'
import { getPaymentAccount, listPaymentAccounts } from './payment-accounts/payment-account-queries.ts'
import { checkPaymentAccount, deletePaymentAccount, updatePaymentAccount } from './payment-accounts/update-payment-account.ts'
import { catchUpProviderEvents } from './provider-events/catch-up-events.ts'
import { replayProviderEvents } from './provider-events/replay-provider-events.ts'
import { receiveProviderEvent } from './provider-events/receive-provider-event.ts'
import { getDispute, listDisputes } from './disputes/dispute-queries.ts'
import { listPaymentMethodsOfCustomer } from './payment-methods/list-payment-methods.ts'
import { createRefund } from './refunds/create-refund.ts'
import { listRefunds } from './refunds/list-refunds.ts'
import { getPayment, listPayments } from './payments/payment-queries.ts'
import { getPaymentTimeline } from './payments/payment-timeline.ts'
import { voidOrder } from './payments/void-order.ts'
import {
  cancelCustomerSubscription,
  getCustomerSubscription,
  previewCustomerSubscriptionChange,
  listCustomerSubscriptions,
  updateCustomerSubscription,
} from './portal/customer-subscriptions.ts'
import { exportSubscriptions, getSubscription, listSubscriptions } from './subscriptions/subscription-queries.ts'
import { retryOrderPayment } from './subscriptions/retry-order-payment.ts'
import { retryFinalOrders } from './subscriptions/retry-final-orders.ts'
import { announceRenewals } from './subscriptions/announce-renewals.ts'
import { announceTrialEnds } from './subscriptions/announce-trial-ends.ts'
import { renewDueSubscriptions } from './subscriptions/renew-due-subscriptions.ts'
import { previewSubscriptionChange } from './subscriptions/preview-change.ts'
import { revokeSubscription, updateSubscription } from './subscriptions/update-subscription.ts'
import { createTaxRate, deleteTaxRate, updateTaxRate } from './catalog/taxes/tax-rate-commands.ts'
import { getTaxRate, listTaxRates } from './catalog/taxes/tax-rate-queries.ts'

/** Products, customers, checkouts and the resulting orders. */
export const orders: Service = {
  name: 'orders',
  database,
  handlers: [
    ...[createProduct, getProduct, listProducts, updateProduct, updateProductBenefits],
    ...[createTaxRate, getTaxRate, listTaxRates, updateTaxRate, deleteTaxRate],
    ...[createBenefit, getBenefit, listBenefits, updateBenefit, deleteBenefit, listBenefitGrants],
    ...[createDiscount, getDiscount, listDiscounts, updateDiscount, deleteDiscount],
    ...[createCustomer, getCustomer, listCustomers, updateCustomer, deleteCustomer],
    ...[getCustomerByExternalId, updateCustomerByExternalId, deleteCustomerByExternalId],
    ...[getCustomerState, getCustomerStateByExternalId],
    ...[createCustomerSession, verifyCustomerSession, endCustomerSession, requestCustomerSession, authenticateCustomerSession],
    ...[createCheckout, getCheckout, listCheckouts, getCheckoutByClient, updateCheckout, updateCheckoutByClient, confirmCheckout],
    ...[createCheckoutLink, getCheckoutLink, listCheckoutLinks, updateCheckoutLink, deleteCheckoutLink, openCheckoutLink],
    ...[exportOrders, getMetricsLimits, getOrder, listOrders, updateOrder, generateOrderInvoice],
    ...[createRefund, listRefunds],
    ...[getPayment, listPayments, getPaymentSettings, updatePaymentSettings],
    ...[getPaymentTimeline, retryOrderPayment, voidOrder],
    ...[getDispute, listDisputes, listPaymentMethodsOfCustomer],
    ...[createPaymentAccount, getPaymentAccount, listPaymentAccounts, updatePaymentAccount, deletePaymentAccount, checkPaymentAccount],
    ...[addReceipt, importStatement, listBankReceipts, markReceiptAsReturned, markRefundAsPaid],
    receiveProviderEvent,
    ...[listStuckPayments, showPayment, recheckPayment, resolvePayment, reconcilePayments, replayProviderEvents],
    ...[
      exportSubscriptions,
      getSubscription,
      listSubscriptions,
      updateSubscription,
      previewSubscriptionChange,
      revokeSubscription,
      advanceTestClock,
    ],
    ...[
      getCustomerSubscription,
      listCustomerSubscriptions,
      updateCustomerSubscription,
      previewCustomerSubscriptionChange,
      cancelCustomerSubscription,
    ],
    ...[getCustomerOrder, listCustomerOrders, updateCustomerOrder, generateCustomerOrderInvoice, confirmOrderPayment],
    ...[listCustomerPaymentMethods, deleteCustomerPaymentMethod, setDefaultCustomerPaymentMethod],
    ...[addCustomerPaymentMethod, confirmCustomerPaymentMethod],
    ...[getPortalCustomer, updatePortalCustomer, getPortalOrganization],
    ...[listCustomerBenefitGrants, getCustomerBenefitGrant],
    ...[declareWithdrawal, declareCancellation, listDeclarations],
    ...[listLicenseKeys, getLicenseKey, getLicenseKeyActivation, updateLicenseKey, listCustomerLicenseKeys, getCustomerLicenseKey],
    ...[validateLicenseKey, activateLicenseKey, deactivateLicenseKey],
  ],
  consumers: [onOrganizationChanged, onInvoiceSettingsUpdated, onInvoiceGenerated],
  reactions,
  components: [startPaymentJobs],
  jobs: [
    renewDueSubscriptions,
    announceRenewals,
    announceTrialEnds,
    retryFinalOrders,
    expireCheckouts,
    sweepPaymentAttempts,
    sweepCheckoutLinkVisits,
    forgetDeclarationNetworks,
    sweepCustomerSessions,
    sweepCustomerCodes,
    sweepDeletedBenefits,
    compactListCounts,
    catchUpProviderEvents,
  ],
}
