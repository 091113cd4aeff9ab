import { z } from 'zod'
import { Address } from './address.ts'
import { deprecatedSince } from './changes.ts'
import { CheckoutDiscount } from './discounts.ts'
import { Id, Timestamp, timestamps } from './identifiers.ts'
import { Metadata } from './metadata.ts'
import { Amount, Currency } from './money.ts'
import { Organization } from './organizations.ts'
import { ProductPrice } from './product-prices.ts'
import { CheckoutProduct } from './products.ts'
import { AppliedTax, TaxBehavior } from './taxes.ts'
import { TrialInterval } from './trials.ts'

export const CheckoutStatus = z.enum(['open', 'expired', 'confirmed', 'succeeded', 'failed'])
export type CheckoutStatus = z.infer<typeof CheckoutStatus>

const AddressFieldMode = z.enum(['required', 'optional', 'disabled'])

const publicFields = {
  id: Id,
  ...timestamps,
  custom_field_data: z.record(z.string(), z.unknown()),
  payment_processor: z.literal('stripe'),
  status: CheckoutStatus,
  client_secret: z.string(),
  url: z.string(),
  expires_at: Timestamp,
  success_url: z.string(),
  return_url: z.string().nullable(),
  embed_origin: z.string().nullable(),
  amount: Amount,
  price_amount: Amount.describe(
    'The price before the discount, as advertised: with its tax if the price includes it. Of a custom price the amount chosen.',
  ),
  discount_amount: Amount,
  net_amount: Amount,
  tax_amount: Amount.nullable().describe('Null until the country of the buyer is known, and the state where the tax depends on it.'),
  taxes: z.array(AppliedTax),
  total_amount: Amount,
  subtotal_amount: Amount.meta(deprecatedSince('2025-03-25', 'use net_amount')),
  currency: Currency,
  tax_behavior: TaxBehavior.nullable(),
  allow_trial: z.boolean(),
  active_trial_interval: TrialInterval.nullable().describe('Of the trial that this purchase begins with; null without one.'),
  active_trial_interval_count: z.int().nullable(),
  trial_end: Timestamp.nullable().describe('End of the trial; before the confirmation, as if it were confirmed now.'),
  organization_id: Id,
  product_id: Id,
  product_price_id: Id,
  discount_id: Id.nullable(),
  allow_discount_codes: z.boolean(),
  require_billing_address: z.boolean(),
  is_discount_applicable: z.boolean(),
  is_free_product_price: z.boolean(),
  is_payment_required: z.boolean(),
  is_payment_setup_required: z.boolean(),
  is_payment_form_required: z.boolean(),
  customer_id: Id.nullable(),
  is_business_customer: z.boolean(),
  customer_name: z.string().nullable(),
  customer_email: z.string().nullable(),
  customer_ip_address: z.string().nullable(),
  customer_billing_name: z.string().nullable(),
  customer_billing_address: Address.nullable(),
  customer_tax_id: z.string().nullable(),
  payment_processor_metadata: z.record(z.string(), z.string()),
  customer_billing_address_fields: z.object({
    country: z.boolean(),
    state: z.boolean(),
    city: z.boolean(),
    postal_code: z.boolean(),
    line1: z.boolean(),
    line2: z.boolean(),
  }),
  billing_address_fields: z
    .object({
      country: AddressFieldMode,
      state: AddressFieldMode,
      city: AddressFieldMode,
      postal_code: AddressFieldMode,
      line1: AddressFieldMode,
      line2: AddressFieldMode,
    })
    .describe('Whether the form of the checkout needs each part of the billing address.'),
  products: z.array(CheckoutProduct),
  prices: z.null().describe('Prices come from the products only.'),
  product: CheckoutProduct,
  product_price: ProductPrice,
  discount: CheckoutDiscount.nullable(),
  attached_custom_fields: z.array(z.unknown()),
}

/** A checkout as returned to the seller. */
export const Checkout = z
  .object({
    ...publicFields,
    metadata: Metadata,
    external_customer_id: z.string().nullable(),
    customer_external_id: z.string().nullable().meta(deprecatedSince('2025-06-18', 'use external_customer_id')),
    subscription_id: Id.nullable(),
    trial_interval: z.null().describe('The trial is that of the product.'),
    trial_interval_count: z.null(),
    customer_metadata: Metadata,
  })
  .meta({ id: 'Checkout' })
export type Checkout = z.infer<typeof Checkout>

/** A checkout as returned to the buyer. */
export const CheckoutPublic = z.object({ ...publicFields, organization: Organization }).meta({ id: 'CheckoutPublic' })
export type CheckoutPublic = z.infer<typeof CheckoutPublic>

/** Reply to a confirmation, with a portal token for the buyer. */
export const CheckoutPublicConfirmed = z
  .object({ ...publicFields, status: z.literal('confirmed'), organization: Organization, customer_session_token: z.string() })
  .meta({ id: 'CheckoutPublicConfirmed' })
