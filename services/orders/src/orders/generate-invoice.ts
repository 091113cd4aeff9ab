import { generateOrderInvoice as contract } from '@quittance/contracts/orders'
import { command } from '@quittance/runtime/handler'
import { requestInvoice } from './request-invoice.ts'

export const generateInvoice = command(contract, requestInvoice)
