import { deleteDiscount as contract } from '@quittance/contracts/discounts'
import { command } from '@quittance/runtime/handler'
import { Discount } from './discount.ts'

export const deleteDiscount = command(contract, async ({ id }, { em, now }) => {
  const discount = await em.findOneOrFail(Discount, { id, deletedAt: null })
  discount.deletedAt = now
  return null
})
