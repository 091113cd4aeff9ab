import { deleteCustomer as contract } from '@quittance/contracts/customers'
import { command } from '@quittance/runtime/handler'
import { removeCustomer } from './remove-customer.ts'

export const deleteCustomer = command(contract, ({ id }, context) => removeCustomer(id, context))
