import type { CustomerOrganization } from '@quittance/contracts/customer-portal'
import { nestedList, type View } from '@quittance/runtime/view'
import { checkoutProductColumns } from '../products/product-view.ts'

/** The answer has no pages; the newest are shown of an assortment that is larger. */
const shown = 100

/** A seller and what is for sale. */
export const portalOrganizationView: View<CustomerOrganization> = {
  name: 'portal-organization',
  organization: null,
  because: 'a shop window: whoever knows the slug may look',
  from: 'organizations g',
  columns: `g.document as organization, ${nestedList(
    checkoutProductColumns,
    `products pr where pr.organization_id = g.id and not pr.is_archived order by pr.created_at desc, pr.id limit ${shown}`,
  )} as products`,
}
