import { listTaxRates as contract } from '@quittance/contracts/taxes'
import { query } from '@quittance/runtime/handler'
import { asList, orderBy, whereGiven } from '@quittance/runtime/list'
import { taxRateView } from './tax-rate-view.ts'

const columns = { country: 't.country', created_at: 't.created_at' }

export const listTaxRates = query(contract, (request, { read }) =>
  read.page(taxRateView, {
    ...whereGiven({
      organization_id: { sql: 't.organization_id = any(:organization_id)', value: asList(request.organization_id) },
      country: { sql: 't.country = any(:country)', value: asList(request.country) },
    }),
    orderBy: orderBy(columns, { sorting: request.sorting, ties: ['t.created_at', 't.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
