import { serviceNames } from '@quittance/contracts/services'
import { eventually } from '@quittance/testing/eventually'
import { progress } from '@quittance/testing/stream'
import type { RunningSystem } from '@quittance/testing/system'
import { expect } from 'vitest'

const owners = serviceNames.filter((name) => name !== 'gateway')

/**
 * Waits until everything that was committed is told, and everything that was told is heard. What is shown is not told yet: who registers an
 * endpoint right after may be sent what happened before, and who counts rows may see a consumer write.
 */
export function untilQuiet(system: RunningSystem): Promise<void> {
  const untold = (service: (typeof owners)[number]) => system.rows(service, 'select id from outbox_messages where published_at is null')
  return eventually(async () => {
    const before = await progress(system.facts().nats_url)
    expect(before.unheard).toEqual([])
    expect((await Promise.all(owners.map(untold))).flat()).toEqual([])
    // What was told since the first look is heard after the second.
    expect(await progress(system.facts().nats_url)).toEqual(before)
  })
}
