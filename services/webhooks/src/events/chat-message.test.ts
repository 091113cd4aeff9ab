import { publicEvents, type PublicEvent } from '@quittance/contracts/registry'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { expect, test } from 'vitest'
import { chatMessage } from './chat-message.ts'

const occurredAt = new Date('2026-11-27T10:00:00Z')

/** Renders an event of this type for a chat; `change` replaces properties of the example. */
function render(format: 'discord' | 'slack', type: string, change: object): unknown {
  const event = publicEvents.find(({ webhookType }) => webhookType === type) as PublicEvent
  const payload = { ...(buildContractExample(event.payload) as object), ...change }
  return JSON.parse(chatMessage(format, { event, payload, occurredAt }) ?? 'null')
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
