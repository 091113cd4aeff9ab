import { listCustomerSubscriptions } from '@quittance/contracts/customer-subscriptions'
import { html, type Html } from '@quittance/pages/html'
import type { Exchange } from './load-subscription.ts'
import type { PortalSession } from './portal-session.ts'
import { isCharged, subscriptionMethodPath } from './subscription-method-page.ts'

/** Subscriptions that a page shows; a customer has few. */
const maxSubscriptions = 100

/** Returns the subscriptions that are not charged to the default method, and the way to choose one; null if there are none. */
export async function listOwnMethods(session: PortalSession, { options: { api } }: Exchange): Promise<Html | null> {
  const { context, organization, call } = session
  const request = { organization_id: [organization.id], limit: maxSubscriptions }
  const { items } = await api.call(listCustomerSubscriptions, request, call)
  const own = items.filter((each) => each.uses_default_payment_method === false && isCharged(each))
  if (own.length === 0) return null
  const { words, language } = context
  return html`<p>${words.method.otherwise}</p>
    <ul class="rows">
      ${own.map(
        (each) =>
          html`<li class="row">
            <bdi>${each.product.name}</bdi>
            <a href="${subscriptionMethodPath(session, each)}?locale=${language}" aria-label="${words.method.choose}: ${each.product.name}"
              >${words.method.choose}</a
            >
          </li>`,
      )}
    </ul>`
}
