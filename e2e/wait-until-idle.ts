import { busServiceNames } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { readStreamProgress } from '@quittance/testing/stream'
import type { RunningSystem } from '@quittance/testing/system'
import { expect } from 'vitest'

const owners = busServiceNames.filter((name) => name !== 'gateway' && name !== 'provisioner')

/**
 * Waits until all committed events are published and all published events are consumed. Data is visible before its event is published: an
 * endpoint registered right away may receive earlier events, and a test that counts rows may observe writes of a consumer.
 */
export function waitUntilIdle(system: RunningSystem): Promise<void> {
  const findUnpublished = (service: (typeof owners)[number]) =>
    system.rows(service, 'select id from outbox_messages where published_at is null')
  return eventually(async () => {
    const progress = await readStreamProgress(system.readReadyFile().stream_url)
    expect(progress.unheard).toEqual([])
    expect((await Promise.all(owners.map(findUnpublished))).flat()).toEqual([])
    // Events published since the first read are consumed after the second.
    expect(await readStreamProgress(system.readReadyFile().stream_url)).toEqual(progress)
  })
}
