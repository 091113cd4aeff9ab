import { setTimeout as delay } from 'node:timers/promises'
import { ApiFailure } from '@quittance/pages/call-api'
import { readText } from '../page/page-context.ts'
import type { Exchange } from './load-subscription.ts'

/** Waits between attempts while an equal request, or a payment whose step was not completed, is in progress. */
const repeatAfterMs = [300, 600, 1_200]

/**
 * Sends what a form requests, with the key in its field `once`: the same form that is sent twice has one effect. Repeats a request that is
 * rejected with 409 a few times, and then throws.
 */
export async function sendOnce<Reply>(
  { request }: Pick<Exchange, 'request'>,
  send: (options: { idempotencyKey?: string }) => Promise<Reply>,
): Promise<Reply> {
  const once = (readText(request.body, 'once') ?? '').replaceAll(/[^\w-]/g, '').slice(0, 64)
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(once ? { idempotencyKey: once } : {})
    } catch (error) {
      const waitMs = repeatAfterMs[attempt]
      if (!(error instanceof ApiFailure) || error.status !== 409 || waitMs === undefined) throw error
      await delay(waitMs)
    }
  }
}
