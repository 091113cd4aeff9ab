import { listOrganizations as contract } from '@quittance/contracts/organizations'
import { query } from '@quittance/runtime/handler'
import { orderBy } from '@quittance/runtime/list'
import { organizationView } from './organization-view.ts'

const columns = { created_at: 'o.created_at', slug: 'o.slug', name: 'o.name' }

export const listOrganizations = query(contract, ({ page, limit, slug, sorting }, { read }) =>
  read.page(organizationView, {
    where: slug === undefined ? 'true' : 'o.slug = :slug',
    values: { slug },
    orderBy: orderBy(columns, { sorting, ties: ['o.created_at', 'o.id'] }),
    page,
    limit,
  }),
)
