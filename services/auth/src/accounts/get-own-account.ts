import { getOwnAccount as contract } from '@quittance/contracts/accounts'
import { NotPermitted } from '@quittance/contracts/errors'
import { query } from '@quittance/runtime/handler'
import { accountView } from './account-view.ts'

export const getOwnAccount = query(contract, (_, { caller, read }) => {
  if (caller.kind !== 'user') throw new NotPermitted('There is no person behind this credential.')
  return read.one(accountView, { where: 'a.id = :id', values: { id: caller.user_id } })
})
