import type { GrantEvent } from '@quittance/contracts/benefit-grants'
import type { Transaction } from '@quittance/runtime/handler'
import type { BenefitGrant } from './benefit-grant.ts'
import { benefitGrantWebhookView } from './benefit-grant-view.ts'

/** Tells one event of each grant. They are told as the customer's, so that the customer's state comes after them. */
export async function tellGrants(
  { read, publish }: Transaction,
  { event, grants }: { event: GrantEvent; grants: readonly BenefitGrant[] },
): Promise<void> {
  for (const { id, organizationId, customerId } of grants) {
    const view = await read.one(benefitGrantWebhookView, { where: 'g.id = :id', values: { id } })
    publish({ event, aggregateId: customerId, organizationId, payload: view })
  }
}
