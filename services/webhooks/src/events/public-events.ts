import * as auth from '@quittance/contracts/auth'
import * as checkouts from '@quittance/contracts/checkouts'
import * as customers from '@quittance/contracts/customers'
import * as discounts from '@quittance/contracts/discounts'
import type { Event } from '@quittance/contracts/event'
import * as invoices from '@quittance/contracts/invoices'
import * as orders from '@quittance/contracts/orders'
import * as organizations from '@quittance/contracts/organizations'
import * as products from '@quittance/contracts/products'

/** An event that customers see. */
export type PublicEvent = Event & { webhookType: string }

const contracts: Record<string, unknown>[] = [auth, organizations, products, discounts, customers, checkouts, orders, invoices]

/** Every event that has a name for customers. */
export const publicEvents: readonly PublicEvent[] = contracts.flatMap((contract) => Object.values(contract).filter(isPublicEvent))

export function isPublicEvent(value: unknown): value is PublicEvent {
  return typeof value === 'object' && value !== null && 'webhookType' in value && value.webhookType !== null
}
