/** The dated change history of the public API. Source of the docs page and of deprecation marks. */
export interface Change {
  /** ISO date. */
  date: string
  summary: string
}

export const changes: readonly Change[] = [
  {
    date: '2025-03-14',
    summary:
      'Subscription.price_id and Subscription.price deprecated in favor of Subscription.prices. Order.product_price_id and Order.product_price deprecated in favor of Order.items. Order.amount deprecated in favor of Order.net_amount. Order.subtotal_amount, Order.discount_amount and Order.total_amount added.',
  },
  { date: '2025-03-20', summary: 'Order status pending added. Webhooks order.updated and order.paid added. Order.paid property added.' },
  { date: '2025-03-25', summary: 'Checkout.discount_amount and Checkout.net_amount added; Checkout.subtotal_amount deprecated.' },
  {
    date: '2025-06-02',
    summary:
      'Invoices are generated only on explicit request through the POST invoice operations; billing details can be changed before that through the PATCH operations.',
  },
  { date: '2025-06-05', summary: 'Rate limit of 100 requests per second per IP address introduced.' },
  {
    date: '2025-06-18',
    summary:
      'customer_external_id renamed external_customer_id in the Checkout API and the Customer Session API (old name deprecated). Customer state granted_benefits includes benefit metadata.',
  },
]

/** Metadata of a field that is replaced by another: used in schemas, the API description and response headers. */
export function deprecatedSince(date: (typeof changes)[number]['date'], replacement: string) {
  return { deprecated: true, description: `Deprecated; ${replacement}.`, [deprecatedSinceKey]: date }
}

/** JSON Schema key with the date since which a field is deprecated. */
export const deprecatedSinceKey = 'x-deprecated-since'
