import type { Benefit } from '@quittance/contracts/benefits'
import { nestedList, type View } from '@quittance/runtime/view'

/** Columns of a benefit as anyone may see it; `b` is the benefit. */
export const benefitPublicColumns = `b.id, b.created_at, b.modified_at, b.type, b.description, b.selectable, b.deletable, b.organization_id`

/** Columns of a benefit as its seller sees it; `b` is the benefit. */
export const benefitColumns = `${benefitPublicColumns}, b.metadata, b.properties, false as is_tax_applicable`

const ofProduct = `product_benefits pb join benefits b on b.id = pb.benefit_id
  where pb.product_id = pr.id and b.deleted_at is null order by pb.position`

/** The benefits of a product in its own order, for its seller; `pr` is the product. */
export const benefitsOfProduct = nestedList(benefitColumns, ofProduct)

/** The same for everybody else. */
export const publicBenefitsOfProduct = nestedList(benefitPublicColumns, ofProduct)

export const benefitView: View<Benefit> = {
  name: 'benefit',
  organization: 'b.organization_id',
  from: '(select * from benefits where deleted_at is null) b',
  key: 'b.id',
  counted: { list: 'benefits', time: 'b.created_at' },
  columns: benefitColumns,
}

/** A benefit as the event of its deletion tells it. */
export const benefitAsDeletedView: View<Benefit> = { ...benefitView, name: 'benefit-as-deleted', from: 'benefits b' }
