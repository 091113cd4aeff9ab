import { updateDiscount as contract } from '@quittance/contracts/discounts'
import { command } from '@quittance/runtime/handler'
import { Discount } from './discount.ts'
import { discountView } from './discount-view.ts'
import { refuseImpossibleDiscount } from './refuse-discount.ts'

export const updateDiscount = command(contract, async ({ id, ...change }, { em, read, rows }) => {
  const discount = await em.findOneOrFail(Discount, { id, deletedAt: null })
  // Before the change: reading writes what was changed, and the table would refuse it without naming the field.
  await refuseImpossibleDiscount(
    { em, rows },
    {
      id,
      organizationId: discount.organizationId,
      code: change.code,
      productIds: [...new Set(change.products ?? [])],
      startsAt: dateOf(change.starts_at, discount.startsAt),
      endsAt: dateOf(change.ends_at, discount.endsAt),
    },
  )
  discount.change(change)
  return read.one(discountView, { where: 'd.id = :id', values: { id } })
})

function dateOf(given: string | null | undefined, kept: Date | null | undefined): Date | null {
  if (given === undefined) return kept ?? null
  return given ? new Date(given) : null
}
