import { listCustomerSubscriptions, type CustomerSubscription } from '@quittance/contracts/customer-subscriptions'
import type { AppOptions } from '../page/page-context.ts'
import type { PortalSession } from './portal-session.ts'

const limit = 10

/** A page of the subscriptions of a customer. */
interface SubscriptionPage {
  items: readonly CustomerSubscription[]
  /** Number of the last page. */
  last: number
  total: number
}

/**
 * Loads a page of the subscriptions: first those that run, then those that are overdue, then ended ones. The last page with those that run also
 * has the first of the others, so that a customer with few has one page.
 */
export async function listSubscriptions(
  page: number,
  { organization, call }: Pick<PortalSession, 'organization' | 'call'>,
  { api }: Pick<AppOptions, 'api'>,
): Promise<SubscriptionPage> {
  const own = { organization_id: organization.id, limit }
  const running = await api.call(listCustomerSubscriptions, { ...own, active: true, page }, call)
  const lastRunning = Math.max(1, running.pagination.max_page)
  // In descending order of the names: unpaid, past_due, incomplete, canceled.
  const sorting = '-status'
  const others = await api.call(
    listCustomerSubscriptions,
    { ...own, active: false, sorting, page: Math.max(1, page - lastRunning + 1) },
    call,
  )
  return {
    items: page < lastRunning ? running.items : [...running.items, ...others.items],
    last: lastRunning + Math.max(1, others.pagination.max_page) - 1,
    total: running.pagination.total_count + others.pagination.total_count,
  }
}
