import * as auth from '@quittance/contracts/auth'
import * as checkouts from '@quittance/contracts/checkouts'
import * as customers from '@quittance/contracts/customers'
import * as discounts from '@quittance/contracts/discounts'
import * as invoices from '@quittance/contracts/invoices'
import type { Operation, PublicOperation } from '@quittance/contracts/operation'
import * as orders from '@quittance/contracts/orders'
import * as organizations from '@quittance/contracts/organizations'
import * as products from '@quittance/contracts/products'
import * as webhooks from '@quittance/contracts/webhooks'

const contracts: Record<string, unknown>[] = [auth, organizations, products, discounts, customers, checkouts, orders, invoices, webhooks]

/** Every operation of the system, in the order of the contracts. */
export const operations: readonly Operation[] = contracts.flatMap((contract) => Object.values(contract).filter(isOperation))

/** Those that are met over HTTP. */
export const publicOperations = operations.filter((operation): operation is PublicOperation => operation.http !== undefined)

function isOperation(value: unknown): value is Operation {
  return typeof value === 'object' && value !== null && 'subject' in value && 'request' in value && 'reply' in value
}
