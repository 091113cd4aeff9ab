import type { CancellationReason } from '@quittance/contracts/subscription-status'

/** A product bought as an upgrade, at its advertised price. */
export interface PurchasedProduct {
  productId: string
  productPriceId: string
  currency: string
  priceAmount: bigint
  discountId: string | null
  paymentToken: string | null
  paymentMethodId: string | null
}

/** Reason for the cancellation, in the customer's words. Absent keys leave the value unchanged. */
export interface CancellationDetails {
  reason?: CancellationReason | null | undefined
  comment?: string | null | undefined
}
