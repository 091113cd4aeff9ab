import { getOrderInvoice as contract } from '@quittance/contracts/invoices'
import { query } from '@quittance/runtime/handler'
import { documentOfOrder } from './document-of-order.ts'

export const getOrderInvoice = query(contract, documentOfOrder)
