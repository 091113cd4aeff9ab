import { randomUUID } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { ResourceNotFound } from '@polar-sh/sdk/models/errors/resourcenotfound.js'
import { validateEvent } from '@polar-sh/sdk/webhooks'
import { startEndpointSink } from '@quittance/testing/endpoint-sink'
import { eventually } from '@quittance/testing/eventually'
import { useSharedSystem } from '@quittance/testing/use-shared-system'
import { callApi, type RunningSystem } from '@quittance/testing/system'
import { beforeAll, expect, test } from 'vitest'

let system: RunningSystem
let polar: Polar

beforeAll(async () => {
  system = await useSharedSystem()
  polar = new Polar({ accessToken: system.demo.organization_access_token, serverURL: system.readReadyFile().base_url })
})

const aBenefit = (description: string) =>
  polar.benefits.create({ type: 'custom', description, properties: { note: 'Book it here.' }, metadata: { key: description } })

/** Creates a product with these benefits and a customer who has paid for it. */
async function sell(benefits: readonly { id: string }[]) {
  const prices = [{ amountType: 'fixed' as const, priceAmount: 4200 }]
  const { id } = await polar.products.create({ name: 'Course', recurringInterval: null, prices })
  const product = await polar.products.updateBenefits({ id, productBenefitsUpdate: { benefits: benefits.map((benefit) => benefit.id) } })
  const customer = await polar.customers.create({ email: `${randomUUID()}@example.com`, externalId: randomUUID() })
  const { clientSecret, id: checkoutId } = await polar.checkouts.create({ products: [id], customerId: customer.id })
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId: 'ctoken_ok' } })
  const order = await eventually(async () => {
    const [found] = (await polar.orders.list({ checkoutId })).result.items
    if (found?.status !== 'paid') throw new Error('not paid yet')
    return found
  })
  const { token } = await polar.customerSessions.create({ customerId: customer.id })
  return { product, customer, order, me: { customerSession: token } }
}

test('the unmodified official client creates, lists, changes and deletes benefits', async () => {
  const benefit = await aBenefit('Monthly call')
  expect(benefit).toMatchObject({ type: 'custom', properties: { note: 'Book it here.' }, selectable: true, deletable: true })
  const { id } = benefit
  expect(await polar.benefits.get({ id })).toEqual(benefit)
  const listed = []
  const filters = { typeFilter: 'custom' as const, query: 'MONTHLY', metadata: { key: 'Monthly call' }, sorting: ['-description' as const] }
  for await (const page of await polar.benefits.list(filters)) listed.push(...page.result.items)
  expect(listed).toEqual([benefit])
  const requestBody = { type: 'custom' as const, description: 'Weekly call', properties: { note: null } }
  expect(await polar.benefits.update({ id, requestBody })).toMatchObject({ description: 'Weekly call', properties: { note: null } })
  await polar.benefits.delete({ id })
  await expect(polar.benefits.get({ id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.benefits.update({ id, requestBody })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.benefits.delete({ id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.benefits.grants({ id })).rejects.toBeInstanceOf(ResourceNotFound)
})

test('a purchase grants its benefits: product, grants, customer state and portal list them', async () => {
  const [call, club] = [await aBenefit('A call'), await aBenefit('The club')]
  const { product, customer, order, me } = await sell([club, call])
  expect(product.benefits.map(({ id }) => id)).toEqual([club.id, call.id])
  expect((await polar.products.list({ benefitId: [call.id] })).result.items.map(({ id }) => id)).toEqual([product.id])

  const grants = []
  for await (const page of await polar.benefits.grants({ id: call.id, isGranted: true, customerId: customer.id })) {
    grants.push(...page.result.items)
  }
  expect(grants).toMatchObject([{ orderId: order.id, customerId: customer.id, isGranted: true, customer: { email: customer.email } }])

  const state = await polar.customers.getState({ id: customer.id })
  expect(state).toMatchObject({ id: customer.id, activeSubscriptions: [], activeMeters: [] })
  expect(state.grantedBenefits.map(({ benefitId }) => benefitId).toSorted()).toEqual([call.id, club.id].toSorted())
  expect(state.grantedBenefits.map(({ benefitMetadata }) => benefitMetadata)).toContainEqual({ key: 'A call' })
  expect(await polar.customers.getStateExternal({ externalId: customer.externalId ?? '' })).toEqual(state)

  const { benefitGrants } = polar.customerPortal
  const mine = []
  for await (const page of await benefitGrants.list(me, { orderId: order.id, typeFilter: 'custom', sorting: ['-granted_at'] })) {
    mine.push(...page.result.items)
  }
  expect(mine.map(({ benefit }) => benefit.description).toSorted()).toEqual(['A call', 'The club'])
  const own = mine.find(({ benefitId }) => benefitId === call.id)
  expect(own).toMatchObject({
    isGranted: true,
    customer: { email: customer.email },
    benefit: { properties: { note: 'Book it here.' }, organization: { slug: system.demo.organization.slug } },
  })
  expect(await benefitGrants.get(me, { id: own?.id ?? '' })).toEqual(own)

  await polar.refunds.create({ orderId: order.id, reason: 'customer_request', amount: 100, revokeBenefits: true })
  expect((await benefitGrants.list(me, {})).result.items).toEqual([])
  await expect(benefitGrants.get(me, { id: own?.id ?? '' })).rejects.toBeInstanceOf(ResourceNotFound)
  expect(await polar.customers.getState({ id: customer.id })).toMatchObject({ grantedBenefits: [] })
  expect((await polar.benefits.grants({ id: call.id, isGranted: false })).result.items).toMatchObject([{ isRevoked: true }])
})

test('the official helper verifies webhooks of benefits, grants and customer states', async () => {
  await using sink = await startEndpointSink()
  const secret = 'a secret of my own'
  const events = ['benefit.created', 'benefit.updated', 'benefit_grant.created', 'benefit_grant.revoked', 'customer.state_changed'] as const
  const endpoint = await polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret, events: [...events] })
  const told = () => sink.received.map(({ body, headers }) => validateEvent(body, headers as Record<string, string>, secret))
  const benefit = await aBenefit('A call')
  const { customer } = await sell([benefit])
  await polar.benefits.delete({ id: benefit.id })
  await eventually(() => {
    expect(told().map(({ type }) => type)).toEqual(expect.arrayContaining([...events]))
    const states = told().flatMap((event) => (event.type === 'customer.state_changed' && event.data.id === customer.id ? [event.data] : []))
    expect(states.map(({ grantedBenefits }) => String(grantedBenefits.length)).toSorted()).toEqual(['0', '0', '1'])
  })
  const granted = told().find((event) => event.type === 'benefit_grant.created' && event.data.customerId === customer.id)
  expect(granted?.data).toMatchObject({ customerId: customer.id, benefit: { id: benefit.id }, previousProperties: null })
  await polar.webhooks.deleteWebhookEndpoint({ id: endpoint.id })
})

test('typed errors: an ungrantable type, an unknown benefit, an unknown customer', async () => {
  const properties = { guildToken: 'token', roleId: 'role' }
  await expect(polar.benefits.create({ type: 'discord', description: 'A role', properties })).rejects.toBeInstanceOf(HTTPValidationError)
  const [id, externalId] = [randomUUID(), randomUUID()]
  const unknown = { productBenefitsUpdate: { benefits: [id] } }
  await expect(polar.products.updateBenefits({ id: system.demo.product_id, ...unknown })).rejects.toBeInstanceOf(HTTPValidationError)
  await expect(polar.products.updateBenefits({ id, ...unknown })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.customers.getState({ id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(polar.customers.getStateExternal({ externalId })).rejects.toBeInstanceOf(ResourceNotFound)
})

test('outside the client: deprecated names, rejected types, other organizations and subjects', async () => {
  const benefit = await aBenefit('A call')
  const { customer, me } = await sell([benefit])
  const raw = (path: string, token: string, body?: unknown) =>
    callApi(`${system.readReadyFile().base_url}${path}`, { method: body ? 'POST' : 'GET', token, body })
  const token = system.demo.organization_access_token
  expect((await raw(`/v1/benefits/${benefit.id}`, token)).body).toHaveProperty('is_tax_applicable')
  expect((await raw(`/v1/benefits/${benefit.id}/grants`, token)).body.items).toMatchObject([{ user_id: customer.id }])
  const discord = { type: 'discord', description: 'A role', properties: {} }
  expect(await raw('/v1/benefits/', token, discord)).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'type'] }] } })
  const stranger = system.demo.second_organization.organization_access_token
  for (const path of [`/v1/benefits/${benefit.id}`, `/v1/benefits/${benefit.id}/grants`, `/v1/customers/${customer.id}/state`]) {
    expect(await raw(path, stranger)).toMatchObject({ status: 404, body: { error: 'ResourceNotFound' } })
    expect(await raw(path, me.customerSession)).toMatchObject({ status: 401 })
  }
  expect(await raw('/v1/customer-portal/benefit-grants/', token)).toMatchObject({ status: 401 })
})
