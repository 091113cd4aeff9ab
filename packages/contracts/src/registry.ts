import * as accessTokens from './access-tokens.ts'
import * as accounts from './accounts.ts'
import * as auth from './auth.ts'
import * as bankReceipts from './bank-receipts.ts'
import * as benefitGrants from './benefit-grants.ts'
import * as benefits from './benefits.ts'
import * as checkoutLinks from './checkout-links.ts'
import * as checkouts from './checkouts.ts'
import * as clients from './clients.ts'
import * as creditNoteEvents from './credit-note-events.ts'
import * as customerBenefitGrants from './customer-benefit-grants.ts'
import * as customerCreditNotes from './customer-credit-notes.ts'
import * as customerCodes from './customer-codes.ts'
import * as customerPaymentMethods from './customer-payment-methods.ts'
import * as customerPayments from './customer-payments.ts'
import * as customerPortal from './customer-portal.ts'
import * as customerSessions from './customer-sessions.ts'
import * as customerSubscriptions from './customer-subscriptions.ts'
import * as customerState from './customer-state.ts'
import * as customers from './customers.ts'
import * as deadLetters from './dead-letters.ts'
import * as declarations from './declarations.ts'
import * as discounts from './discounts.ts'
import * as disputes from './disputes.ts'
import type { Event } from './event.ts'
import * as invitations from './invitations.ts'
import * as invoiceAudit from './invoice-audit.ts'
import * as invoiceSettings from './invoice-settings.ts'
import * as invoiceSource from './invoice-source.ts'
import * as invoiceVerification from './invoice-verification.ts'
import * as invoices from './invoices.ts'
import * as licenseKeys from './license-keys.ts'
import * as metrics from './metrics.ts'
import * as mailSenders from './mail-senders.ts'
import * as mails from './mails.ts'
import type { Operation, PublicOperation } from './operation.ts'
import * as orderPayments from './order-payments.ts'
import * as orders from './orders.ts'
import * as unpaidInvoices from './unpaid-invoices.ts'
import * as organizations from './organizations.ts'
import * as passwords from './passwords.ts'
import * as paymentAccounts from './payment-accounts.ts'
import * as paymentOperations from './payment-operations.ts'
import * as paymentSettings from './payment-settings.ts'
import * as payments from './payments.ts'
import * as portalCustomers from './portal-customers.ts'
import * as products from './products.ts'
import * as providerEvents from './provider-events.ts'
import * as refunds from './refunds.ts'
import * as sandbox from './sandbox.ts'
import * as subscriptionAnnouncements from './subscription-announcements.ts'
import * as subscriptions from './subscriptions.ts'
import * as taxes from './taxes.ts'
import * as testClock from './test-clock.ts'
import * as usageEvents from './usage-events.ts'
import * as webhookDeliveries from './webhook-deliveries.ts'
import * as webhooks from './webhooks.ts'

/** The contract files; a test fails if a file is missing here. */
const contracts: Record<string, unknown>[] = [
  auth,
  accounts,
  invitations,
  passwords,
  accessTokens,
  clients,
  organizations,
  products,
  taxes,
  benefits,
  benefitGrants,
  discounts,
  disputes,
  customers,
  customerState,
  checkouts,
  checkoutLinks,
  orderPayments,
  orders,
  invoiceSource,
  unpaidInvoices,
  paymentAccounts,
  providerEvents,
  refunds,
  sandbox,
  payments,
  paymentSettings,
  bankReceipts,
  metrics,
  subscriptions,
  subscriptionAnnouncements,
  testClock,
  customerSessions,
  customerCodes,
  customerPaymentMethods,
  customerPayments,
  customerPortal,
  customerSubscriptions,
  portalCustomers,
  declarations,
  customerBenefitGrants,
  licenseKeys,
  invoices,
  creditNoteEvents,
  customerCreditNotes,
  invoiceVerification,
  invoiceAudit,
  invoiceSettings,
  webhooks,
  webhookDeliveries,
  mails,
  mailSenders,
  usageEvents,
  deadLetters,
  paymentOperations,
]

const described = contracts.flatMap((contract) => Object.values(contract))

/** Every operation of the system, in the order of the contracts. */
export const operations: readonly Operation[] = described.filter(isOperation)

/** Operations with an HTTP binding. */
export const publicOperations = operations.filter((operation): operation is PublicOperation => operation.http !== undefined)

/** Every event, in the order of the contracts. */
export const events: readonly Event[] = described.filter(isEvent)

/** An event that can be sent to webhook endpoints. */
export type PublicEvent = Event & { webhookType: string }

/** Events that can be sent to webhook endpoints. */
export const publicEvents = events.filter((event): event is PublicEvent => event.webhookType !== null)

/** Whether an export of a contract file is an operation. */
export function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'subject' in value && 'request' in value && 'reply' in value
}

/** Whether an export of a contract file is an event. */
export function isEvent(value: unknown): value is Event {
  return typeof value === 'object' && value !== null && 'subject' in value && 'publisher' in value && 'webhookType' in value
}
