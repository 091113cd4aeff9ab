import { updateCustomer as contract } from '@quittance/contracts/customers'
import { command } from '@quittance/runtime/handler'
import { changeCustomer } from './change-customer.ts'

export const updateCustomer = command(contract, changeCustomer)
