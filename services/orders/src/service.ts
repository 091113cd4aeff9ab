import { foldListCounts } from '@quittance/runtime/list-counts'
import type { Service } from '@quittance/runtime/service'
import { createBenefit } from './benefits/create-benefit.ts'
import { deleteBenefit } from './benefits/delete-benefit.ts'
import { getBenefit } from './benefits/get-benefit.ts'
import { getCustomerBenefitGrant } from './benefits/get-customer-benefit-grant.ts'
import { listBenefitGrants } from './benefits/list-benefit-grants.ts'
import { listBenefits } from './benefits/list-benefits.ts'
import { listCustomerBenefitGrants } from './benefits/list-customer-benefit-grants.ts'
import { sweepDeletedBenefits } from './benefits/sweep-deleted-benefits.ts'
import { updateBenefit } from './benefits/update-benefit.ts'
import { confirmCheckout } from './checkouts/confirm-checkout.ts'
import { createCheckout } from './checkouts/create-checkout.ts'
import { expireCheckouts } from './checkouts/expire-checkouts.ts'
import { getCheckout } from './checkouts/get-checkout.ts'
import { getCheckoutByClient } from './checkouts/get-checkout-by-client.ts'
import { listCheckouts } from './checkouts/list-checkouts.ts'
import { updateCheckout } from './checkouts/update-checkout.ts'
import { updateCheckoutByClient } from './checkouts/update-checkout-by-client.ts'
import { createCustomerSession } from './customer-sessions/create-customer-session.ts'
import { sweepCustomerSessions } from './customer-sessions/sweep-customer-sessions.ts'
import { verifyCustomerSession } from './customer-sessions/verify-customer-session.ts'
import { createCustomer } from './customers/create-customer.ts'
import { deleteCustomer } from './customers/delete-customer.ts'
import { deleteCustomerByExternalId } from './customers/delete-customer-by-external-id.ts'
import { getCustomer } from './customers/get-customer.ts'
import { getCustomerByExternalId } from './customers/get-customer-by-external-id.ts'
import { getCustomerState } from './customers/get-customer-state.ts'
import { getCustomerStateByExternalId } from './customers/get-customer-state-by-external-id.ts'
import { getPortalCustomer } from './customers/get-portal-customer.ts'
import { listCustomers } from './customers/list-customers.ts'
import { updateCustomer } from './customers/update-customer.ts'
import { updateCustomerByExternalId } from './customers/update-customer-by-external-id.ts'
import { updatePortalCustomer } from './customers/update-portal-customer.ts'
import { database } from './database.ts'
import { createDiscount } from './discounts/create-discount.ts'
import { deleteDiscount } from './discounts/delete-discount.ts'
import { getDiscount } from './discounts/get-discount.ts'
import { listDiscounts } from './discounts/list-discounts.ts'
import { updateDiscount } from './discounts/update-discount.ts'
import { activateLicenseKey } from './license-keys/activate-license-key.ts'
import { deactivateLicenseKey } from './license-keys/deactivate-license-key.ts'
import { getCustomerLicenseKey } from './license-keys/get-customer-license-key.ts'
import { getLicenseKey } from './license-keys/get-license-key.ts'
import { getLicenseKeyActivation } from './license-keys/get-license-key-activation.ts'
import { listCustomerLicenseKeys } from './license-keys/list-customer-license-keys.ts'
import { listLicenseKeys } from './license-keys/list-license-keys.ts'
import { updateLicenseKey } from './license-keys/update-license-key.ts'
import { validateLicenseKey } from './license-keys/validate-license-key.ts'
import { exportOrders } from './orders/export-orders.ts'
import { generateCustomerOrderInvoice } from './orders/generate-customer-order-invoice.ts'
import { generateInvoice } from './orders/generate-invoice.ts'
import { getCustomerOrder } from './orders/get-customer-order.ts'
import { getOrder } from './orders/get-order.ts'
import { listCustomerOrders } from './orders/list-customer-orders.ts'
import { listOrders } from './orders/list-orders.ts'
import { onInvoiceGenerated } from './orders/on-invoice-generated.ts'
import { updateCustomerOrder } from './orders/update-customer-order.ts'
import { updateOrder } from './orders/update-order.ts'
import { advanceTestClock } from './organizations/advance-test-clock.ts'
import { getPortalOrganization } from './organizations/get-portal-organization.ts'
import { onOrganizationChanged } from './organizations/on-organization-changed.ts'
import { settleDuePayments } from './payments/settle-due-payments.ts'
import { createProduct } from './products/create-product.ts'
import { getProduct } from './products/get-product.ts'
import { listProducts } from './products/list-products.ts'
import { updateProduct } from './products/update-product.ts'
import { updateProductBenefits } from './products/update-product-benefits.ts'
import { checkDueRefunds } from './refunds/check-due-refunds.ts'
import { createRefund } from './refunds/create-refund.ts'
import { listRefunds } from './refunds/list-refunds.ts'
import { cancelCustomerSubscription } from './subscriptions/cancel-customer-subscription.ts'
import { exportSubscriptions } from './subscriptions/export-subscriptions.ts'
import { getCustomerSubscription } from './subscriptions/get-customer-subscription.ts'
import { getSubscription } from './subscriptions/get-subscription.ts'
import { listCustomerSubscriptions } from './subscriptions/list-customer-subscriptions.ts'
import { listSubscriptions } from './subscriptions/list-subscriptions.ts'
import { renewDueSubscriptions } from './subscriptions/renew-due-subscriptions.ts'
import { revokeSubscription } from './subscriptions/revoke-subscription.ts'
import { updateCustomerSubscription } from './subscriptions/update-customer-subscription.ts'
import { updateSubscription } from './subscriptions/update-subscription.ts'
import { createTaxRate } from './taxes/create-tax-rate.ts'
import { deleteTaxRate } from './taxes/delete-tax-rate.ts'
import { getTaxRate } from './taxes/get-tax-rate.ts'
import { listTaxRates } from './taxes/list-tax-rates.ts'
import { updateTaxRate } from './taxes/update-tax-rate.ts'

/** Products, customers, checkouts and the orders that come of them. */
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
    ...[createCustomerSession, verifyCustomerSession],
    ...[createCheckout, getCheckout, listCheckouts, getCheckoutByClient, updateCheckout, updateCheckoutByClient, confirmCheckout],
    ...[exportOrders, getOrder, listOrders, updateOrder, generateInvoice],
    ...[createRefund, listRefunds],
    ...[exportSubscriptions, getSubscription, listSubscriptions, updateSubscription, revokeSubscription, advanceTestClock],
    ...[getCustomerSubscription, listCustomerSubscriptions, updateCustomerSubscription, cancelCustomerSubscription],
    ...[getCustomerOrder, listCustomerOrders, updateCustomerOrder, generateCustomerOrderInvoice],
    ...[getPortalCustomer, updatePortalCustomer, getPortalOrganization],
    ...[listCustomerBenefitGrants, getCustomerBenefitGrant],
    ...[listLicenseKeys, getLicenseKey, getLicenseKeyActivation, updateLicenseKey, listCustomerLicenseKeys, getCustomerLicenseKey],
    ...[validateLicenseKey, activateLicenseKey, deactivateLicenseKey],
  ],
  consumers: [onOrganizationChanged, onInvoiceGenerated],
  jobs: [
    settleDuePayments,
    checkDueRefunds,
    renewDueSubscriptions,
    expireCheckouts,
    sweepCustomerSessions,
    sweepDeletedBenefits,
    foldListCounts,
  ],
}
