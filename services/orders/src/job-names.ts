/** Names of the jobs that lower layers wake. */
export const sweepDeletedBenefitsJobName = 'sweep-deleted-benefits'
export const settleDuePaymentsJobName = 'settle-due-payments'
export const renewalJobName = 'renew-due-subscriptions'
export const readProviderEventsJobName = 'read-provider-events'
export const finalOrdersJobName = 'retry-final-orders'
export const checkDueRefundsJobName = 'check-due-refunds'
export const detachMethodsJobName = 'detach-payment-methods'
export const announceRenewalsJobName = 'announce-renewals'
