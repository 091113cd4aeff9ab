import { defineEntity, p } from '@mikro-orm/core'
import type { BenefitType } from '@quittance/contracts/benefits'
import { NotPermitted, RequestValidationError } from '@quittance/contracts/errors'
import type { Metadata } from '@quittance/contracts/metadata'
import { organizationFilter } from '@quittance/runtime/database'
import { aggregateProperties } from '@quittance/runtime/schema'

export const BenefitSchema = defineEntity({
  name: 'Benefit',
  tableName: 'benefits',
  properties: {
    ...aggregateProperties,
    organizationId: p.uuid(),
    type: p.text().$type<BenefitType>(),
    description: p.text(),
    selectable: p.boolean(),
    deletable: p.boolean(),
    properties: p.json<Record<string, unknown>>(),
    metadata: p.json<Metadata>(),
    deletedAt: p.datetime().nullable(),
  },
  filters: organizationFilter,
})

interface BenefitChange {
  type: BenefitType
  description?: string | null | undefined
  properties?: Record<string, unknown> | null | undefined
  metadata?: Metadata | undefined
}

export class Benefit extends BenefitSchema.class {
  /** Applies the keys that are present; replaces properties and metadata as a whole. The type cannot change. */
  change(change: BenefitChange): void {
    if (change.type !== this.type)
      throw RequestValidationError.field(['type'], `The type of this benefit is ${this.type} and cannot be changed.`)
    if (change.description) this.description = change.description
    if (change.properties) this.properties = change.properties
    if (change.metadata) this.metadata = change.metadata
  }

  /** Marks the benefit as deleted. Its grants are revoked; the row is kept for them. */
  delete(now: Date): void {
    if (!this.deletable) throw new NotPermitted('This benefit cannot be deleted.')
    this.deletedAt = now
  }
}
BenefitSchema.setClass(Benefit)
