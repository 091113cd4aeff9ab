import { getPortalOrganization as getPortalOrganizationContract, type CustomerOrganization } from '@quittance/contracts/customer-portal'
import { query } from '@quittance/runtime/handler'
import { nestedList, type View } from '@quittance/sql/view'
import { checkoutProductColumns } from '../catalog/products/product-view.ts'
import { chargeMetadata } from '../providers/processor-metadata.ts'

export const getPortalOrganization = query(getPortalOrganizationContract, ({ slug }, { read }) =>
  read.one(portalOrganizationView, { where: 'g.slug = :slug', values: { slug } }),
)

/** The reply is not paginated; if there are more products, it contains the newest. */
const maxProducts = 100

const products = nestedList(
  checkoutProductColumns,
  `products pr where pr.organization_id = g.id and not pr.is_archived order by pr.created_at desc, pr.id limit ${maxProducts}`,
)

/** A seller and the products for sale. */
export const portalOrganizationView: View<CustomerOrganization> = {
  name: 'portal-organization',
  organization: null,
  unscopedReason: 'the storefront is public by its slug',
  from: 'organizations g',
  get columns() {
    return `g.document as organization, ${products} as products, ${chargeMetadata('g.id')} as payment_processor_metadata`
  },
}
