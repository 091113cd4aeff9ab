import type { Benefit } from '@quittance/contracts/benefits'
import { nestedList, type View } from '@quittance/sql/view'

/** Columns of a benefit for any reader; `b` is the benefit. */
export const benefitPublicColumns = `b.id, b.created_at, b.modified_at, b.type, b.description, b.selectable, b.deletable,
  b.deleted_at is not null as is_deleted, 'public' as visibility, false as visibility_configurable, b.organization_id`

/** Columns of a benefit for its seller; `b` is the benefit. */
export const benefitColumns = `${benefitPublicColumns}, b.metadata, b.properties, false as is_tax_applicable`

const ofProduct = `product_benefits pb join benefits b on b.id = pb.benefit_id
  where pb.product_id = pr.id and b.deleted_at is null order by pb.position`

/** The benefits of a product in the product's order, for its seller; `pr` is the product. */
export const benefitsOfProduct = nestedList(benefitColumns, ofProduct)

/** The same for all other readers. */
export const publicBenefitsOfProduct = nestedList(benefitPublicColumns, ofProduct)

export const benefitView: View<Benefit> = {
  name: 'benefit',
  organization: 'b.organization_id',
  from: '(select * from benefits where deleted_at is null) b',
  key: 'b.id',
  counter: { list: 'benefits', time: 'b.created_at' },
  columns: benefitColumns,
}

/** A benefit in its deletion event. */
export const benefitAsDeletedView: View<Benefit> = { ...benefitView, name: 'benefit-as-deleted', from: 'benefits b' }
