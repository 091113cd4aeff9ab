import { currencyDigits } from '@quittance/contracts/money'
import type { PublicEvent } from '@quittance/contracts/registry'

type Format = 'discord' | 'slack'

interface Told {
  event: PublicEvent
  payload: unknown
  occurredAt: Date
}

/** What a message says of its object: name and value. */
type Facts = [name: string, value: string][]

interface Data {
  id?: string
  status?: string
  billing_name?: string | null
  total_amount?: number
  amount?: number
  currency?: string
  reason?: string
  ends_at?: string | null
  cancel_at_period_end?: boolean
  customer?: { email?: string | null; name?: string | null }
  product?: { name?: string }
  order_id?: string
}

/** The body for an incoming webhook of a chat, or null for what would only be noise there. */
export function chatMessage(format: Format, { event, payload, occurredAt }: Told): string | null {
  const data = (payload ?? {}) as Data
  const isNoise = event.webhookType === 'subscription.updated' && !data.ends_at && !data.cancel_at_period_end
  if (isNoise) return null
  const facts = factsOf(event.webhookType, data)
  return JSON.stringify(format === 'slack' ? slackMessage(event, facts) : discordMessage(event, { facts, occurredAt }))
}

function factsOf(type: string, data: Data): Facts {
  const [resource] = type.split('.')
  const named: Record<string, Facts> = {
    order: [...customer(data), ...product(data), ...money(data.total_amount, data.currency), ...fact('Status', data.status)],
    subscription: [
      ...customer(data),
      ...product(data),
      ...money(data.amount, data.currency),
      ...fact('Status', data.status),
      ...fact('Ends', data.ends_at),
    ],
    refund: [
      ...money(data.amount, data.currency),
      ...fact('Reason', data.reason),
      ...fact('Status', data.status),
      ...fact('Order', data.order_id),
    ],
  }
  return [...(named[resource ?? ''] ?? []), ...fact('Id', data.id)]
}

const fact = (name: string, value: string | null | undefined): Facts => (value ? [[name, value]] : [])
const customer = ({ customer: given, billing_name }: Data) => fact('Customer', billing_name ?? given?.name ?? given?.email)
const product = ({ product: given }: Data) => fact('Product', given?.name)

function money(amount: number | undefined, currency: string | undefined): Facts {
  if (amount === undefined || !currency) return []
  const digits = currencyDigits(currency)
  return [['Amount', `${(amount / 10 ** digits).toFixed(digits)} ${currency.toUpperCase()}`]]
}

function slackMessage({ webhookType: type, summary }: PublicEvent, facts: Facts) {
  return {
    text: `${type}: ${summary}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: type } },
      { type: 'section', text: { type: 'mrkdwn', text: escapeSlack(summary) } },
      ...(facts.length > 0 ? [{ type: 'section', fields: facts.map(([name, value]) => slackField(name, value)) }] : []),
    ],
  }
}

function slackField(name: string, value: string) {
  return { type: 'mrkdwn', text: `*${name}*\n${escapeSlack(cut(value, 1_900))}` }
}

/** The three characters that mean something in Slack's own markup. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function discordMessage({ webhookType: type, summary }: PublicEvent, { facts, occurredAt }: { facts: Facts; occurredAt: Date }) {
  return {
    content: '',
    // Names of customers must not call anybody.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: type,
        description: summary,
        timestamp: occurredAt.toISOString(),
        fields: facts.map(([name, value]) => ({ name, value: cut(value, 1_000), inline: true })),
      },
    ],
  }
}

const cut = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)
