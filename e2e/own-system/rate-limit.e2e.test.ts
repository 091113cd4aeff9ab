import { eventually } from '@quittance/testing/eventually'
import { startSystem } from '@quittance/testing/system'
import { expect, test } from 'vitest'

test('a burst of 150 requests at once: the first 100 pass, 50 are refused with Retry-After, none hangs', async () => {
  await using system = await startSystem()
  const url = `${system.facts().base_url}/v1/orders/${system.demo.paid_order_id}`
  const headers = { authorization: `Bearer ${system.demo.organization_access_token}` }
  await fetch(url, { headers })
  const answers = await eventually(async () => {
    // A window may be open from the warm-up: the burst begins after one that refuses nothing any more is over.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const began = performance.now()
    const burst = await Promise.all(Array.from({ length: 150 }, () => fetch(url, { headers })))
    // On a busy machine one may last longer than a window, and then is none.
    expect(performance.now() - began).toBeLessThan(1_000)
    return burst
  })
  const refused = answers.filter(({ status }) => status === 429)
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100)
  expect(refused).toHaveLength(50)
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
  expect(await refused[0]?.json()).toEqual({ error: 'TooManyRequests', detail: expect.any(String) })
})
