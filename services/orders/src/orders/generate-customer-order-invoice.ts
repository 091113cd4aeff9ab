import { generateCustomerOrderInvoice as contract } from '@quittance/contracts/customer-portal'
import { command } from '@quittance/runtime/handler'
import { requestInvoice } from './request-invoice.ts'

export const generateCustomerOrderInvoice = command(contract, requestInvoice)
