/** Values of the examples (`examples.ts`): one sale with its refund. Amounts are in minor units. */
const id = (number: number) => `4f0f7c2e-1d1b-4c3a-9b5e-${String(number).padStart(12, '0')}`

export const ids = {
  organization: id(1),
  product: id(2),
  price: id(3),
  customer: id(4),
  discount: id(5),
  checkout: id(6),
  order: id(7),
  item: id(8),
  subscription: id(9),
  refund: id(10),
  invoice: id(11),
  creditNote: id(12),
  taxRate: id(13),
  benefit: id(14),
  grant: id(15),
  licenseKey: id(16),
} as const

export const at = '2026-06-01T12:00:00Z'
const periodEnd = '2026-07-01T12:00:00Z'
export const created = { created_at: at, modified_at: null }

export const amounts = { subtotal_amount: 4900, discount_amount: 490, net_amount: 4410, tax_amount: 882, total_amount: 5292 }
export const refunded = { amount: 1000, tax_amount: 200 }

export const organization = {
  ...created,
  id: ids.organization,
  name: 'Analytical Engines',
  slug: 'analytical-engines',
  avatar_url: null,
  email: 'hello@shop.example.com',
  website: 'https://shop.example.com',
  socials: [],
  details_submitted_at: null,
}

export const price = {
  ...created,
  id: ids.price,
  product_id: ids.product,
  type: 'recurring',
  recurring_interval: 'month',
  is_archived: false,
  price_currency: 'usd',
  price_amount: 4900,
  tax_behavior: 'exclusive',
}

export const product = {
  ...created,
  id: ids.product,
  organization_id: ids.organization,
  name: 'Reading room',
  description: 'A seat by the window, every day of the month.',
  recurring_interval: 'month',
  is_recurring: true,
  is_archived: false,
  metadata: {},
  benefits: [],
  medias: [],
  attached_custom_fields: [],
}

export const customer = {
  ...created,
  id: ids.customer,
  organization_id: ids.organization,
  external_id: 'reader-1815',
  email: 'ada@example.com',
  email_verified: false,
  name: 'Ada Lovelace',
  tax_id: null,
  locale: 'en',
  deleted_at: null,
  avatar_url: 'https://www.gravatar.com/avatar/?d=blank',
  metadata: {},
  active_meters: [],
}

export const discount = {
  ...created,
  id: ids.discount,
  organization_id: ids.organization,
  name: 'Summer',
  code: 'SUMMER',
  duration: 'once',
  type: 'percentage',
  basis_points: 1000,
  amount: null,
  currency: null,
  duration_in_months: null,
  starts_at: null,
  ends_at: null,
  max_redemptions: null,
  redemptions_count: 1,
  metadata: {},
}

const sale = {
  ...amounts,
  currency: 'usd',
  customer_id: ids.customer,
  product_id: ids.product,
  product_price_id: ids.price,
  discount_id: ids.discount,
  metadata: {},
  custom_field_data: {},
}

export const checkout = {
  ...created,
  ...sale,
  id: ids.checkout,
  status: 'confirmed',
  client_secret: 'qt_ckt_example',
  url: 'https://pay.example.com/checkout/qt_ckt_example',
  expires_at: '2026-06-02T12:00:00Z',
  success_url: 'https://shop.example.com/thanks',
  embed_origin: null,
  amount: 4900,
  price_amount: 4900,
  allow_discount_codes: true,
  require_billing_address: true,
  is_discount_applicable: true,
  is_free_product_price: false,
  is_payment_required: true,
  is_payment_setup_required: true,
  is_payment_form_required: true,
  is_business_customer: false,
  customer_name: 'Ada Lovelace',
  customer_email: 'ada@example.com',
  customer_billing_name: null,
  customer_tax_id: null,
  external_customer_id: 'reader-1815',
  customer_external_id: 'reader-1815',
  customer_metadata: {},
  subscription_id: null,
  attached_custom_fields: [],
}

export const order = {
  ...created,
  ...sale,
  id: ids.order,
  status: 'partially_refunded',
  paid: true,
  amount: amounts.net_amount,
  tax_behavior: 'exclusive',
  refunded_amount: refunded.amount,
  refunded_tax_amount: refunded.tax_amount,
  billing_reason: 'subscription_create',
  billing_name: 'Ada Lovelace',
  is_invoice_generated: true,
  subscription_id: ids.subscription,
  checkout_id: ids.checkout,
  user_id: ids.customer,
}

/** A line of an order that is not placed. */
export const previewedItem = {
  label: 'Reading room',
  amount: amounts.subtotal_amount,
  discount_amount: amounts.discount_amount,
  tax_amount: amounts.tax_amount,
  proration: false,
}

export const item = { ...created, id: ids.item, ...previewedItem, product_price_id: ids.price }

export const subscription = {
  ...created,
  id: ids.subscription,
  amount: 4900,
  currency: 'usd',
  recurring_interval: 'month',
  status: 'active',
  current_period_start: at,
  current_period_end: periodEnd,
  cancel_at_period_end: false,
  canceled_at: null,
  started_at: at,
  ends_at: null,
  ended_at: null,
  customer_id: ids.customer,
  product_id: ids.product,
  price_id: ids.price,
  discount_id: ids.discount,
  checkout_id: ids.checkout,
  user_id: ids.customer,
  customer_cancellation_reason: null,
  customer_cancellation_comment: null,
  metadata: {},
  custom_field_data: {},
  meters: [],
  pending_product_id: null,
  unpaid_change_order_id: null,
  is_change_payable: false,
}

export const licenseKey = {
  ...created,
  id: ids.licenseKey,
  organization_id: ids.organization,
  customer_id: ids.customer,
  benefit_id: ids.benefit,
  key: 'READ-2F5B7A31-0D64-4E0C-9A8E-6A1B2C3D4E5F',
  display_key: '****-3D4E5F',
  status: 'granted',
  limit_activations: 3,
  usage: 0,
  limit_usage: null,
  validations: 1,
  last_validated_at: at,
  expires_at: null,
}

export const grant = {
  ...created,
  id: ids.grant,
  granted_at: at,
  is_granted: true,
  revoked_at: null,
  is_revoked: false,
  subscription_id: ids.subscription,
  order_id: null,
  customer_id: ids.customer,
  benefit_id: ids.benefit,
  user_id: ids.customer,
  benefit_type: 'custom',
  benefit_metadata: {},
}
