import { currencyDigits } from '@quittance/contracts/money'
import type { PublicEvent } from '@quittance/contracts/registry'

type Format = 'discord' | 'slack'

interface ChatEvent {
  event: PublicEvent
  payload: unknown
  occurredAt: Date
}

/** Properties shown in a message: name and value. */
type Fields = [name: string, value: string][]

interface Data {
  id?: string
  status?: string
  billing_name?: string | null
  total_amount?: number
  amount?: number
  tax_amount?: number
  currency?: string
  reason?: string
  ends_at?: string | null
  cancel_at_period_end?: boolean
  customer?: { email?: string | null; name?: string | null }
  product?: { name?: string }
  order_id?: string
  endpoint?: { id: string; url: string }
}

/** Whether an event is only noise in a chat: the event that follows has its own message. */
export function isChatNoise({ event, payload }: Pick<ChatEvent, 'event' | 'payload'>): boolean {
  const data = (payload ?? {}) as Data
  return event.webhookType === 'subscription.updated' && !data.ends_at && !data.cancel_at_period_end
}

/** Returns the body for a chat's incoming webhook. */
export function chatMessage(format: Format, { event, payload, occurredAt }: ChatEvent): string {
  const fields = buildFields(event.webhookType, (payload ?? {}) as Data)
  return JSON.stringify(format === 'slack' ? slackMessage(event, fields) : discordMessage(event, { fields, occurredAt }))
}

function buildFields(type: string, data: Data): Fields {
  const [resource] = type.split('.')
  const named: Record<string, Fields> = {
    order: [...customer(data), ...product(data), ...money(data.total_amount, data.currency), ...field('Status', data.status)],
    subscription: [
      ...customer(data),
      ...product(data),
      ...money(data.amount, data.currency),
      ...field('Status', data.status),
      ...field('Ends', data.ends_at),
    ],
    refund: [
      // The amount of a refund is without tax; an order shows its total.
      ...money(data.amount === undefined ? undefined : data.amount + (data.tax_amount ?? 0), data.currency),
      ...field('Reason', data.reason),
      ...field('Status', data.status),
      ...field('Order', data.order_id),
    ],
    // The path of an endpoint may be a secret.
    webhook_endpoint: data.endpoint ? [...field('Endpoint', URL.parse(data.endpoint.url)?.host), ...field('Id', data.endpoint.id)] : [],
  }
  return [...(named[resource ?? ''] ?? []), ...field('Id', data.id)]
}

const field = (name: string, value: string | null | undefined): Fields => (value ? [[name, value]] : [])
const customer = ({ customer: nested, billing_name }: Data) => field('Customer', billing_name ?? nested?.name ?? nested?.email)
const product = ({ product: nested }: Data) => field('Product', nested?.name)

function money(amount: number | undefined, currency: string | undefined): Fields {
  if (amount === undefined || !currency) return []
  const digits = currencyDigits(currency)
  return [['Amount', `${(amount / 10 ** digits).toFixed(digits)} ${currency.toUpperCase()}`]]
}

function slackMessage({ webhookType: type, summary }: PublicEvent, fields: Fields) {
  return {
    text: `${type}: ${summary}`,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: type } },
      { type: 'section', text: { type: 'mrkdwn', text: escapeSlack(summary) } },
      ...(fields.length > 0 ? [{ type: 'section', fields: fields.map(([name, value]) => slackField(name, value)) }] : []),
    ],
  }
}

function slackField(name: string, value: string) {
  return { type: 'mrkdwn', text: `*${name}*\n${escapeSlack(cut(value, 1_900))}` }
}

/** Escapes the three control characters of Slack's markup. */
function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function discordMessage({ webhookType: type, summary }: PublicEvent, { fields, occurredAt }: { fields: Fields; occurredAt: Date }) {
  return {
    content: '',
    // A customer name must not mention users.
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: type,
        description: summary,
        timestamp: occurredAt.toISOString(),
        fields: fields.map(([name, value]) => ({ name, value: escapeDiscord(cut(value, 500)), inline: true })),
      },
    ],
  }
}

/** Escapes Discord's markup: a buyer chooses the name, and a link may show another text than its address. At most doubles the length. */
function escapeDiscord(text: string): string {
  return text.replaceAll(/[\\*_~`|<>()[\]:#]/g, String.raw`\$&`)
}

const cut = (text: string, maxLength: number) => (text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text)
