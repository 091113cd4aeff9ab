import { updateOrder as contract } from '@quittance/contracts/orders'
import { command } from '@quittance/runtime/handler'
import { changeBillingDetails } from './change-billing-details.ts'

export const updateOrder = command(contract, changeBillingDetails)
