import { eventually } from '@quittance/testing/eventually'
import { expect, test } from 'vitest'
import { startFakeUpstream } from './fake-upstream.ts'
import { authPorts, startGateway } from './start-gateway.ts'

test('the metric shows a clock of the gateway that is behind that of auth', async () => {
  await using auth = await startFakeUpstream(authPorts[0])
  auth.setClock(() => new Date(Date.now() + 10_000))
  await using gateway = await startGateway()
  await eventually(async () => {
    const page = await (await fetch(`http://127.0.0.1:${gateway.service.healthPort()}/metrics`)).text()
    const offset = Number(/^clock_offset_seconds\S* (\S+)$/m.exec(page)?.[1])
    expect(offset).toBeGreaterThan(-12)
    expect(offset).toBeLessThan(-8)
  })
})
