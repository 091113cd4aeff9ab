import { on } from '@quittance/runtime/reactions'
import { afterBenefitDeleted } from './catalog/benefits/benefit-commands.ts'
import { publishProductsOfBenefit } from './catalog/products/update-product-benefits.ts'
import { failReturnedCheckout, settleCheckoutPayment, settleUpgradePayment } from './checkouts/settle-checkout-payment.ts'
import { beforeRefundReserved } from './refunds/create-refund.ts'
import { takeBackCredits } from './subscriptions/take-back-credits.ts'
import { deleteCustomerSessions } from './customer-sessions/customer-session.ts'
import { endCustomerSessions } from './customer-sessions/end-customer-session.ts'
import { afterCustomerDeleted } from './customers/delete-customer.ts'
import { afterAddressChanged } from './customers/update-customer.ts'
import { revokeCustomerBenefits } from './entitlements/entitlement.ts'
import { detachCustomerMethods } from './payment-methods/detach-method.ts'
import { recordRejection } from './payment-accounts/record-health.ts'
import { afterAccountRejected } from './payments/account-rejected.ts'
import { afterOrderVoided } from './payments/void-order.ts'
import { afterSetupSettled } from './payment-setups/settle-setup.ts'
import { afterPaymentSettled, settleOrderPayment } from './payments/after-payment-settled.ts'
import { revokeCustomerSubscriptions } from './subscriptions/lock-subscription.ts'
import { afterSurplusReceived } from './payments/settle-payment.ts'
import { returnSurplus } from './refunds/settle-refund.ts'
import { settleCheckoutSetup } from './checkouts/settle-checkout-setup.ts'
import { chargeStoredDefault } from './subscriptions/charge-owed-orders.ts'
import { releaseVoidedOrder } from './subscriptions/release-voided-order.ts'
import { settleSubscriptionPayment } from './subscriptions/settle-subscription-payment.ts'

/** The only file in which a lower layer meets an upper one. The steps run in this order, in the transaction that raises the point. */
export const reactions = [
  on(afterPaymentSettled, [settleUpgradePayment, settleSubscriptionPayment, settleOrderPayment, settleCheckoutPayment]),
  on(afterSetupSettled, [settleCheckoutSetup, chargeStoredDefault]),
  on(afterOrderVoided, [releaseVoidedOrder]),
  on(afterAccountRejected, [recordRejection]),
  on(afterSurplusReceived, [returnSurplus, failReturnedCheckout]),
  on(beforeRefundReserved, [takeBackCredits]),
  on(afterAddressChanged, [endCustomerSessions]),
  on(afterCustomerDeleted, [deleteCustomerSessions, revokeCustomerSubscriptions, revokeCustomerBenefits, detachCustomerMethods]),
  on(afterBenefitDeleted, [publishProductsOfBenefit]),
]
