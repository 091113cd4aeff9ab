import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { mintToken } from '@quittance/runtime/credential'
import { customerCaller, organizationCaller, userCaller } from '@quittance/testing/callers'
import { expect, test } from 'vitest'
import { bearer, sessionReply, sessionVerification, startGateway, verification, verifiedAs } from './start-gateway.ts'

const [own, other, strange] = [randomUUID(), randomUUID(), randomUUID()]
const user = userCaller({ userId: randomUUID(), organizationIds: [own, other] })

/** Returns a function that sends a request of the caller, and the callers that a service gets. */
async function startAs(caller: Caller) {
  const gateway = await startGateway()
  await gateway.play(verification, verifiedAs(caller))
  const calls = await gateway.play('orders.order.list', '{}')
  const token = mintToken('qt_pat_')
  const send = (organization?: string) =>
    gateway.fetch('/v1/orders/', {
      headers: { ...bearer(token), ...(organization !== undefined && { 'polar-organization': organization }) },
    })
  const callers = () => calls.map(({ headers }) => JSON.parse(headers['caller'] ?? '') as Caller)
  return { send, callers, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

test('Polar-Organization limits a user to one of their organizations, request by request', async () => {
  await using gateway = await startAs(user)
  expect((await gateway.send(own)).status).toBe(200)
  expect((await gateway.send(other.toUpperCase())).status).toBe(200)
  expect((await gateway.send()).status).toBe(200)
  expect(gateway.callers()).toEqual([
    { ...user, organization_ids: [own], organization_id: own },
    { ...user, organization_ids: [other], organization_id: other },
    user,
  ])
})

test.each([
  ['of which the user is not a member', strange],
  ['that is no id', 'acme'],
  ['that is two', `${own}, ${other}`],
  ['that is empty', ''],
])('an organization %s is 403, and no service gets the request', async (...[, organization]) => {
  await using gateway = await startAs(user)
  const response = await gateway.send(organization)
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ error: 'NotPermitted', detail: expect.stringContaining('Polar-Organization') })
  expect(gateway.callers()).toEqual([])
})

test.each([
  ['an organization', 'qt_oat_', '/v1/orders/', organizationCaller(own)],
  ['a customer', 'qt_cst_', '/v1/customer-portal/orders/', customerCaller({ organizationId: own, customerId: randomUUID() })],
] as const)('the credential of %s may name its own organization and no other', async (...[, kind, path, caller]) => {
  await using gateway = await startGateway()
  await gateway.play(verification, verifiedAs(caller))
  await gateway.play(sessionVerification, sessionReply(caller))
  const calls = [await gateway.play('orders.order.list', '{}'), await gateway.play('orders.customer-order.list', '{}')]
  const token = bearer(mintToken(kind))
  const send = async (organization: string) =>
    (await gateway.fetch(path, { headers: { ...token, 'polar-organization': organization } })).status
  expect([await send(own), await send(other)]).toEqual([200, 403])
  expect(calls.flat().map((call) => JSON.parse(call.headers['caller'] ?? ''))).toEqual([caller])
})

test('operations that need no credential ignore the header', async () => {
  await using gateway = await startGateway()
  const calls = await gateway.play('orders.checkout.get-by-client', '{}')
  const headers = { 'polar-organization': strange }
  expect((await gateway.fetch('/v1/checkouts/client/secret', { headers })).status).toBe(200)
  expect(JSON.parse(calls[0]?.headers['caller'] ?? '')).toEqual({ kind: 'anonymous' })
})
