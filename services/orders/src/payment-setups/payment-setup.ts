import { defineEntity, p } from '@mikro-orm/core'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'
import type { PaymentProgress } from '../payments/payment-progress.ts'
import { progressProperties, readProgress, writeProgress } from '../payments/progress-columns.ts'

export const PaymentSetupSchema = defineEntity({
  name: 'PaymentSetup',
  tableName: 'payment_setups',
  properties: {
    ...aggregateProperties,
    ...progressProperties,
    organizationId: p.uuid(),
    customerId: p.uuid(),
    checkoutId: p.uuid().nullable(),
    /** Whether the method becomes the customer's default. */
    setDefault: p.boolean(),
    returnUrl: p.text().nullable(),
    providerSetup: p.text().nullable(),
  },
  filters: organizationFilter,
})

/** One attempt to store a payment method of a customer without a charge. `paymentMethodId` is the stored method. */
export class PaymentSetup extends PaymentSetupSchema.class {
  toProgress(): PaymentProgress {
    return { ...readProgress(this), kind: 'setup', initiator: 'buyer', money: null, theirs: this.providerSetup ?? null, charge: null }
  }

  /** Stores a new progress. What follows from a settlement is stored by `settleSetup`. */
  apply(progress: PaymentProgress, at: { now: Date; nextCheckAt: Date | null }): void {
    writeProgress(this, progress, at)
    this.providerSetup = progress.theirs
  }
}
PaymentSetupSchema.setClass(PaymentSetup)
