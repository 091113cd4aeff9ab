import { expect, test } from 'vitest'
import { createLogger } from '../process/logger.ts'
import { metrics } from '../process/metrics.ts'
import { reportRejection } from './rejections.ts'

async function readSeries(): Promise<Record<string, number>> {
  const { values } = (await metrics.getSingleMetric('bus_rejected_total')?.get()) ?? { values: [] }
  return Object.fromEntries(values.map(({ labels, value }) => [`${labels['kind']} ${labels['reason']}`, value]))
}

test('every kind and reason has a series before its first rejection, so that an alert sees the first increase', async () => {
  const before = await readSeries()
  const requests = ['request forged', 'request not-permitted', 'request unknown-sender', 'request unsigned']
  expect(Object.keys(before)).toEqual(expect.arrayContaining(['event forged', 'event unsigned', ...requests]))
  reportRejection(createLogger('test', 'silent'), { kind: 'event', subject: 'orders.order.paid', reason: 'forged' })
  expect(await readSeries()).toEqual({ ...before, 'event forged': (before['event forged'] ?? 0) + 1 })
})
