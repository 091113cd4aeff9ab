import { getCustomerByExternalId as contract } from '@quittance/contracts/customers'
import { query } from '@quittance/runtime/handler'
import { demandByExternalId } from './find-customer.ts'

export const getCustomerByExternalId = query(contract, ({ external_id }, { read }) => demandByExternalId(read, external_id))
