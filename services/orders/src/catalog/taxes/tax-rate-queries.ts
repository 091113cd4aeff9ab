import { getTaxRate as getTaxRateContract, listTaxRates as listTaxRatesContract } from '@quittance/contracts/taxes'
import { query } from '@quittance/runtime/handler'
import { taxRateView } from './tax-rate.ts'
import { toArray, buildSortOrder, buildWhere } from '@quittance/sql/list-query'

export const getTaxRate = query(getTaxRateContract, ({ id }, { read }) => read.one(taxRateView, { where: 't.id = :id', values: { id } }))

const columns = { country: 't.country', created_at: 't.created_at' }

export const listTaxRates = query(listTaxRatesContract, (request, { read }) =>
  read.page(taxRateView, {
    ...buildWhere({
      organization_id: { sql: 't.organization_id = any(:organization_id)', value: toArray(request.organization_id) },
      country: { sql: 't.country = any(:country)', value: toArray(request.country) },
    }),
    orderBy: buildSortOrder(columns, { sorting: request.sorting, tieBreakers: ['t.created_at', 't.id'] }),
    page: request.page,
    limit: request.limit,
  }),
)
