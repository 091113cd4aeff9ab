import { randomUUID } from 'node:crypto'
import type { Order } from '@quittance/contracts/orders'

const created = { created_at: '2026-11-18T10:00:00+00:00', modified_at: null }

/** Payload of an `orders` event. */
export function anOrder(organizationId: string): Order {
  const [customerId, productId] = [randomUUID(), randomUUID()]
  const amounts = {
    subtotal_amount: 4200,
    discount_amount: 0,
    net_amount: 4200,
    amount: 4200,
    tax_amount: 0,
    total_amount: 4200,
    taxes: [],
    tax_behavior: 'exclusive' as const,
  }
  return {
    id: randomUUID(),
    ...created,
    status: 'paid',
    paid: true,
    ...amounts,
    applied_balance_amount: 0,
    from_balance_amount: 0,
    due_amount: 4200,
    refundable_amount: 4200,
    refundable_tax_amount: 0,
    receipt_number: null,
    platform_fee_amount: 0,
    platform_fee_currency: null,
    invoice_number: '',
    description: 'Pro plan',
    refunded_amount: 0,
    refunded_tax_amount: 0,
    currency: 'usd',
    billing_reason: 'purchase',
    billing_name: 'Zofia Łukasiewicz & Synowie',
    billing_address: null,
    is_invoice_generated: false,
    customer_id: customerId,
    product_id: productId,
    product_price_id: null,
    product_price: null,
    discount_id: null,
    subscription_id: null,
    checkout_id: null,
    metadata: {},
    custom_field_data: {},
    customer: createCustomerPayload(customerId, organizationId),
    user_id: customerId,
    product: buildProductSummary(productId, organizationId),
    discount: null,
    subscription: null,
    items: [],
  }
}

function createCustomerPayload(id: string, organizationId: string): Order['customer'] {
  return {
    id,
    ...created,
    metadata: {},
    external_id: null,
    email: 'zofia@example.com',
    email_verified: false,
    name: null,
    type: 'individual',
    billing_name: null,
    billing_address: null,
    tax_id: null,
    locale: null,
    organization_id: organizationId,
    deleted_at: null,
    avatar_url: 'https://www.gravatar.com/avatar/0?d=blank',
  }
}

function buildProductSummary(id: string, organizationId: string): Order['product'] {
  return {
    id,
    ...created,
    metadata: {},
    name: 'Pro plan',
    description: null,
    recurring_interval: null,
    recurring_interval_count: null,
    trial_interval: null,
    trial_interval_count: null,
    visibility: 'public',
    meter_interval: null,
    meter_interval_count: null,
    is_recurring: false,
    is_archived: false,
    organization_id: organizationId,
  }
}
