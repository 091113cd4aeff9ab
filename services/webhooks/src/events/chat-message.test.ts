import { publicEvents, type PublicEvent } from '@quittance/contracts/registry'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { expect, test } from 'vitest'
import { chatMessage } from './chat-message.ts'

const occurredAt = new Date('2026-11-27T10:00:00Z')

/** Renders an event of this type for a chat; `change` replaces properties of the example. */
function render(format: 'discord' | 'slack', type: string, change: object): unknown {
  const event = publicEvents.find(({ webhookType }) => webhookType === type) as PublicEvent
  const payload = { ...(buildContractExample(event.payload) as object), ...change }
  return JSON.parse(chatMessage(format, { event, payload, occurredAt }))
}

test('states what the buyer gets back for a refund, tax included', () => {
  const refund = { amount: 1_000, tax_amount: 190, currency: 'eur' }
  expect(render('slack', 'refund.created', refund)).toMatchObject({
    blocks: [{}, {}, { fields: expect.arrayContaining([{ type: 'mrkdwn', text: '*Amount*\n11.90 EUR' }]) }],
  })
  expect(render('discord', 'refund.updated', refund)).toMatchObject({
    embeds: [{ fields: expect.arrayContaining([{ name: 'Amount', value: '11.90 EUR', inline: true }]) }],
  })
})

test('shows a name as its buyer typed it in Discord: no link with another text, no mention and no format', () => {
  const typed = (name: string) =>
    (
      render('discord', 'order.paid', { billing_name: name }) as { embeds: [{ fields: { name: string; value: string }[] }] }
    ).embeds[0].fields.find(({ name }) => name === 'Customer')?.value
  expect(typed('[Reset the password](https://evil.example/)')).toBe(String.raw`\[Reset the password\]\(https\://evil.example/\)`)
  expect(typed('<@1234> <t:0>')).toBe(String.raw`\<@1234\> \<t\:0\>`)
  expect(typed('ada_m_king@example.com')).toBe(String.raw`ada\_m\_king@example.com`)
  expect(typed('*'.repeat(2_000))?.length).toBeLessThanOrEqual(1_024)
  expect(typed('a\\')).toBe(String.raw`a\\`)
})

test('names the endpoint that was disabled by its host and id, never by its path, which may be a secret', () => {
  const endpoint = { id: '11111111-1111-4111-8111-111111111111', url: 'https://hooks.example/services/T0/secret' }
  const message = render('slack', 'webhook_endpoint.disabled', { endpoint })
  expect(message).toMatchObject({
    blocks: [{}, {}, { fields: [{ text: '*Endpoint*\nhooks.example' }, { text: `*Id*\n${endpoint.id}` }] }],
  })
  expect(JSON.stringify(message)).not.toContain('secret')
})

test.each(publicEvents.map(({ webhookType }) => webhookType))('writes the example of %s for both chats', (type) => {
  for (const format of ['discord', 'slack'] as const) expect(JSON.stringify(render(format, type, {}))).toContain('Id')
})
