import { randomUUID } from 'node:crypto'
import { Polar } from '@polar-sh/sdk'
import { HTTPValidationError } from '@polar-sh/sdk/models/errors/httpvalidationerror.js'
import { NotPermitted } from '@polar-sh/sdk/models/errors/notpermitted.js'
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

/** Client of the software on a customer's machine: it has the license key but no credential. */
const software = () => new Polar({ serverURL: system.readReadyFile().base_url }).customerPortal.licenseKeys

const terms = {
  prefix: 'acme',
  expires: { ttl: 1, timeframe: 'year' as const },
  activations: { limit: 1, enableCustomerAdmin: true },
  limitUsage: 10,
}

/** Creates a product with a license key and a customer who has paid for it. */
async function sell() {
  const benefit = await polar.benefits.create({ type: 'license_keys', description: 'The app', properties: terms })
  const prices = [{ amountType: 'fixed' as const, priceAmount: 4200 }]
  const { id } = await polar.products.create({ name: 'App', recurringInterval: null, prices })
  const product = await polar.products.updateBenefits({ id, productBenefitsUpdate: { benefits: [benefit.id] } })
  const customer = await polar.customers.create({ email: `${randomUUID()}@example.com` })
  const { clientSecret, id: checkoutId } = await polar.checkouts.create({ products: [id], customerId: customer.id })
  await polar.checkouts.clientConfirm({ clientSecret, checkoutConfirmStripe: { confirmationTokenId: 'ctoken_ok' } })
  const licenseKey = await eventually(async () => {
    const [found] = (await polar.licenseKeys.list({ benefitId: benefit.id })).result.items
    if (!found) throw new Error('not paid yet')
    return found
  })
  const [order] = (await polar.orders.list({ checkoutId })).result.items
  const { token } = await polar.customerSessions.create({ customerId: customer.id })
  const held = { key: licenseKey.key, organizationId: system.demo.organization.id }
  return { benefit, product, customer, order, licenseKey, held, me: { customerSession: token } }
}

test('the unmodified client sells a key; its software activates, validates and deactivates it', async () => {
  const { benefit, product, customer, licenseKey, held, me } = await sell()
  expect(benefit).toMatchObject({ type: 'license_keys', properties: terms })
  expect(product.benefits).toEqual([benefit])
  expect(licenseKey).toMatchObject({ customer, benefitId: benefit.id, status: 'granted', limitUsage: 10, limitActivations: 1 })
  const { id } = licenseKey

  const conditions = { major: 2 }
  const activation = await software().activate({ ...held, label: 'laptop', conditions, meta: { os: 'linux' } })
  expect(activation).toMatchObject({ licenseKey, label: 'laptop', meta: { os: 'linux' } })
  await expect(software().activate({ ...held, label: 'phone' })).rejects.toBeInstanceOf(NotPermitted)
  const used = { ...held, activationId: activation.id, benefitId: benefit.id, customerId: customer.id, conditions, incrementUsage: 4 }
  expect(await software().validate(used)).toMatchObject({ id, usage: 4, validations: 1, activation: { id: activation.id } })
  await expect(software().validate({ ...used, incrementUsage: 7 })).rejects.toBeInstanceOf(HTTPValidationError)
  await expect(software().validate({ ...used, conditions: {} })).rejects.toBeInstanceOf(ResourceNotFound)

  expect(await polar.licenseKeys.getActivation({ id, activationId: activation.id })).toMatchObject({
    id: activation.id,
    licenseKey: { id },
  })
  const { licenseKey: _, ...listed } = activation
  expect(await polar.licenseKeys.get({ id })).toMatchObject({ id, usage: 4, activations: [listed] })
  const mine = []
  for await (const page of await polar.customerPortal.licenseKeys.list(me, { benefitId: benefit.id })) mine.push(...page.result.items)
  expect(mine).toMatchObject([{ id, key: held.key }])
  expect(await polar.customerPortal.licenseKeys.get(me, { id })).toMatchObject({ id, activations: [listed] })

  await software().deactivate({ ...held, activationId: activation.id })
  await expect(software().deactivate({ ...held, activationId: activation.id })).rejects.toBeInstanceOf(ResourceNotFound)
  const licenseKeyUpdate = { status: 'disabled' as const, usage: 1, limitActivations: 3, limitUsage: null, expiresAt: null }
  expect(await polar.licenseKeys.update({ id, licenseKeyUpdate })).toMatchObject({ id, ...licenseKeyUpdate })
  await expect(software().validate(held)).rejects.toBeInstanceOf(ResourceNotFound)
})

test('the grant contains the key, and a refund that revokes benefits revokes the key', async () => {
  await using sink = await startEndpointSink()
  const secret = 'a secret of my own'
  const events = ['benefit_grant.created' as const, 'benefit_grant.revoked' as const]
  const endpoint = await polar.webhooks.createWebhookEndpoint({ url: sink.url, format: 'raw', secret, events })
  const { order, customer, licenseKey, held, me } = await sell()
  const [own] = (await polar.customerPortal.benefitGrants.list(me, { typeFilter: 'license_keys' })).result.items
  const properties = { licenseKeyId: licenseKey.id, displayKey: licenseKey.displayKey }
  expect(own).toMatchObject({ properties, benefit: { type: 'license_keys', properties: terms } })
  expect(await polar.customers.getState({ id: customer.id })).toMatchObject({ grantedBenefits: [{ benefitType: 'license_keys' }] })
  await polar.refunds.create({ orderId: order?.id ?? '', reason: 'customer_request', amount: 100, revokeBenefits: true })
  expect(await polar.licenseKeys.get({ id: licenseKey.id })).toMatchObject({ status: 'revoked' })
  await expect(software().validate(held)).rejects.toBeInstanceOf(ResourceNotFound)
  await eventually(() => {
    // Events of earlier grants may be published after the endpoint is registered.
    const received = sink.received.filter(({ body }) => JSON.parse(body).data.customer_id === customer.id)
    const told = received.map(({ body, headers }) => validateEvent(body, headers as Record<string, string>, secret))
    expect(new Set(told.map(({ type }) => type))).toEqual(new Set(events))
    // The client drops the properties of a grant here: its union of them begins with one that has none.
    const named = received.map(({ body }) => JSON.parse(body).data.properties.license_key_id)
    expect(named).toEqual([licenseKey.id, licenseKey.id])
  })
  await polar.webhooks.deleteWebhookEndpoint({ id: endpoint.id })
})

test('rejects access to a key by another organization, another credential or none', async () => {
  const { licenseKey, held } = await sell()
  const stranger = new Polar({
    accessToken: system.demo.second_organization.organization_access_token,
    serverURL: system.readReadyFile().base_url,
  })
  const { id } = licenseKey
  await expect(stranger.licenseKeys.get({ id })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(stranger.licenseKeys.update({ id, licenseKeyUpdate: {} })).rejects.toBeInstanceOf(ResourceNotFound)
  await expect(stranger.licenseKeys.getActivation({ id, activationId: randomUUID() })).rejects.toBeInstanceOf(ResourceNotFound)
  expect((await stranger.licenseKeys.list({})).result.items).toEqual([])
  const elsewhere = { ...held, organizationId: system.demo.second_organization.id }
  await expect(software().validate(elsewhere)).rejects.toBeInstanceOf(ResourceNotFound)
  const raw = (path: string, token: string | null) => callApi(`${system.readReadyFile().base_url}${path}`, { method: 'GET', token })
  expect(await raw('/v1/license-keys/', null)).toMatchObject({ status: 401 })
  expect(await raw('/v1/customer-portal/license-keys/', system.demo.organization_access_token)).toMatchObject({ status: 401 })
})
