import { defineEntity, p } from '@mikro-orm/core'
import type { Metadata } from '@quittance/contracts/metadata'
import type { Refund as RefundShape } from '@quittance/contracts/refunds'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregate } from '@quittance/runtime/entity'

export const RefundSchema = defineEntity({
  name: 'Refund',
  tableName: 'refunds',
  properties: {
    ...aggregate,
    organizationId: p.uuid(),
    orderId: p.uuid(),
    status: p.text().$type<RefundShape['status']>(),
    reason: p.text().$type<RefundShape['reason']>(),
    amount: p.bigint('bigint'),
    taxAmount: p.bigint('bigint'),
    currency: p.text(),
    comment: p.text().nullable(),
    revokeBenefits: p.boolean(),
    metadata: p.json<Metadata>(),
  },
  filters: organizationFilter,
})
export class Refund extends RefundSchema.class {}
RefundSchema.setClass(Refund)
