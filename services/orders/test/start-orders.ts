import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { confirmCheckout, createCheckout } from '@quittance/contracts/checkouts'
import { listOrders, orderCreated, orderPaid, orderUpdated, type Order } from '@quittance/contracts/orders'
import type { RequestInput } from '@quittance/contracts/operation'
import { organizationCreated, type Organization } from '@quittance/contracts/organizations'
import { createProduct, type Product } from '@quittance/contracts/products'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { orders } from '../src/service.ts'

/** A seller with a product for 42.00. */
export interface Shop {
  organizationId: string
  seller: Caller
  product: Product
}

export interface OrdersUnderTest extends TestService {
  /** Creates an organization that orders has received, with a product. */
  shop(): Promise<Shop>
  paidOrder(options: { billed: boolean }): Promise<Shop & { order: Order }>
  pendingOrder(): Promise<Shop & { order: Order }>
}

const address = { line1: '12 St James’s Square', city: 'London', postal_code: 'SW1Y 4JH', country: 'GB' }

export async function startOrders(): Promise<OrdersUnderTest> {
  const service = await startTestService(orders)

  async function shop(): Promise<Shop> {
    const organizationId = randomUUID()
    await service.emit(organizationCreated, buildOrganization(organizationId), { organizationId, aggregateId: organizationId })
    const seller = organizationCaller(organizationId)
    const product = await service.call(
      createProduct,
      { name: 'Pro plan', recurring_interval: null, prices: [{ amount_type: 'fixed', price_amount: 4200 }] },
      seller,
    )
    await eventually(async () => {
      const known = await service.rows('select from organizations where id = $1', [organizationId])
      if (known.length === 0) throw new Error('not received yet')
    })
    return { organizationId, seller, product }
  }

  async function buy(token: string, details: Partial<RequestInput<typeof confirmCheckout>>) {
    const { organizationId, seller, product } = await shop()
    const checkout = await service.call(createCheckout, { products: [product.id] }, seller)
    const confirmation = {
      client_secret: checkout.client_secret,
      customer_email: 'ada@example.com',
      confirmation_token_id: token,
      ...details,
    }
    await service.call(confirmCheckout, confirmation, { kind: 'anonymous' })
    await service.nextEvent(orderCreated)
    if (token === 'ctoken_ok') await Promise.all([service.nextEvent(orderUpdated), service.nextEvent(orderPaid)])
    const { items } = await service.call(listOrders, {}, seller)
    return { organizationId, seller, product, order: items[0] as Order }
  }

  return {
    ...service,
    shop,
    paidOrder: ({ billed }) => buy('ctoken_ok', billed ? { customer_name: 'Ada Lovelace', customer_billing_address: address } : {}),
    pendingOrder: () => buy('ctoken_pending', {}),
  }
}

export function buildOrganization(id: string): Organization {
  return {
    id,
    created_at: '2026-01-01T00:00:00Z',
    modified_at: null,
    name: 'Acme Books',
    slug: 'acme-books',
    avatar_url: null,
    email: null,
    website: null,
    socials: [],
    details_submitted_at: null,
    feature_settings: null,
    subscription_settings: {
      allow_multiple_subscriptions: false,
      allow_customer_updates: true,
      proration_behavior: 'prorate',
      benefit_revocation_grace_period: 0,
      prevent_trial_abuse: false,
    },
    status: 'active',
    notification_settings: { new_order: false, new_subscription: false },
    customer_email_settings: {
      order_confirmation: false,
      subscription_cancellation: false,
      subscription_confirmation: false,
      subscription_cycled: false,
      subscription_cycled_after_trial: false,
      subscription_past_due: false,
      subscription_paused: false,
      subscription_resumed: false,
      subscription_renewal_reminder: false,
      subscription_revoked: false,
      subscription_trial_conversion_reminder: false,
      subscription_uncanceled: false,
      subscription_updated: false,
    },
    customer_portal_settings: { usage: { show: false }, subscription: { update_seats: false, update_plan: true } },
    page_settings: { terms_url: null, privacy_url: null, imprint_url: null, embed_origins: [], return_origins: [] },
    proration_behavior: 'prorate',
    allow_customer_updates: true,
    default_presentment_currency: 'usd',
    default_tax_behavior: 'exclusive',
    sso_enforced: false,
    account_id: null,
    payout_account_id: null,
    capabilities: {
      checkout_payments: true,
      subscription_renewals: true,
      payouts: false,
      refunds: true,
      api_access: true,
      dashboard_access: false,
    },
  }
}
