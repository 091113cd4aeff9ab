import { getCustomerOrderInvoice as contract } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { documentOfOrder } from './document-of-order.ts'

export const getCustomerOrderInvoice = query(contract, documentOfOrder)
