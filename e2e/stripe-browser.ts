import { eventually } from '@quittance/testing/eventually'
import type { FakeAccount, FakeStripe } from '@quittance/testing/stripe/fake-stripe'
import type { StartedSystem } from '@quittance/testing/system'
import { expect } from 'vitest'
import type { Page } from './browser/chromium.ts'

/** Numbers of Stripe's test cards. */
export const cardNumbers = {
  visa: '4242 4242 4242 4242',
  confirmedByBank: '4000 0025 0000 3155',
  declined: '4000 0000 0000 0002',
} as const

/** Adds a payment account of the seller. */
export async function connectAccount(system: StartedSystem, account: object): Promise<{ events_path: string }> {
  const { organization, personal_access_token: token } = system.demo
  const connected = await fetch(`${system.readReadyFile().base_url}/v1/payment-accounts/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ organization_id: organization.id, ...account }),
  })
  expect(connected.status).toBe(201)
  return (await connected.json()) as { events_path: string }
}

/** Makes an account at Stripe the default of the seller, and sends its events. */
export async function connectStripe(system: StartedSystem, { fake, stripe }: { fake: FakeStripe; stripe: FakeAccount }): Promise<void> {
  const { events_path: path } = await connectAccount(system, {
    provider: 'stripe',
    mode: 'test',
    secret_key: stripe.apiKey,
    publishable_key: stripe.publishableKey,
    webhook_secret: stripe.webhookSecret,
  })
  const { base_url: baseUrl } = system.readReadyFile()
  fake.webhooks.addEndpoint({ account: stripe.id, url: `${baseUrl}${path}`, secrets: [stripe.webhookSecret] })
}

/** Waits for a frame of Stripe: its form, or the step of the bank. */
export function findStripeFrame(page: Page, { fake, path }: { fake: FakeStripe; path: '/browser/form' | '/browser/action' }) {
  return eventually(() => {
    const frame = page.frames().find((each) => each.url() === `${fake.url}${path}`)
    if (!frame) throw new Error(`There is no frame ${path}`)
    return frame
  })
}

/** Types the number of a card into the form of Stripe. */
export async function typeCard(page: Page, { fake, number }: { fake: FakeStripe; number: string }): Promise<void> {
  const frame = await findStripeFrame(page, { fake, path: '/browser/form' })
  const field = await frame.waitForSelector('[name=number]')
  await field?.evaluate((input) => ((input as unknown as { value: string }).value = ''))
  await field?.type(number)
}

/** Waits for the step of a bank, and loads its page again, as a buyer may: the step opens again, and can be completed. */
export async function reloadBankStep(page: Page, fake: FakeStripe): Promise<void> {
  await findStripeFrame(page, { fake, path: '/browser/action' })
  await page.reload()
  const action = await findStripeFrame(page, { fake, path: '/browser/action' })
  await action.waitForSelector('[data-ready]')
}

/** Answers the step of the bank. */
export async function endBankStep(page: Page, { fake, outcome }: { fake: FakeStripe; outcome: 'succeeds' | 'fails' }): Promise<void> {
  const action = await findStripeFrame(page, { fake, path: '/browser/action' })
  await action.waitForSelector('[data-ready]')
  await Promise.all([page.waitForNavigation(), action.click(`[value=${outcome}]`)])
}
