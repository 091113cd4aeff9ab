import { NodeTransport } from 'nats/lib/src/node_transport.js'
import natsPackage from 'nats/package.json' with { type: 'json' }
import { expect, test } from 'vitest'

test('nats is the version that is corrected: re-verify stream-faults after the upgrade of nats', () => {
  expect(natsPackage.version).toBe('2.29.3')
  for (const name of ['dial', 'close', 'disconnect']) expect(NodeTransport.prototype).toHaveProperty(name)
})
