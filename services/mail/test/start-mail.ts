import { randomUUID } from 'node:crypto'
import type { Customer } from '@quittance/contracts/customers'
import { orderPaid, type Order } from '@quittance/contracts/orders'
import { organizationSnapshotted } from '@quittance/contracts/organizations'
import type { PayloadOf } from '@quittance/contracts/event'
import { listMailMessages, type MailMessage } from '@quittance/contracts/mails'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { expect } from 'vitest'
import { mail } from '../src/service.ts'

const settings = {
  MAIL_KEY: Buffer.alloc(32, 9).toString('base64'),
  MAIL_FROM: 'sales@operator.example',
  // Seven attempts in total, with short delays.
  MAIL_RETRY_SCHEDULE_S: '0.05,0.05,0.05,0.05,0.05,0.05',
  SMTP_TIMEOUT_MS: '1000',
  SMTP_REPLY_TIMEOUT_MS: '1000',
  MAIL_RATE_PER_SECOND: '1000',
}

type Snapshot = PayloadOf<typeof organizationSnapshotted>
type EmailSettings = Snapshot['customer_email_settings']

export interface TestMail extends TestService {
  organizationId: string
  /** Publishes the state of the organization. */
  describeSeller(change?: Partial<Omit<Snapshot, 'customer_email_settings'>> & { switchedOff?: (keyof EmailSettings)[] }): Promise<void>
  /** An order of a new customer of the organization. */
  order(change?: Partial<Order>, buyer?: Partial<Customer>): Order
  /** Publishes that an order is paid; returns the id of the event. */
  pay(order: Order, about?: { id?: string; organizationId?: string }): Promise<string>
  /** Waits until every mail of the organization has ended and returns all, newest first. */
  ended(count: number): Promise<MailMessage[]>
  list(): Promise<MailMessage[]>
}

interface StartOptions {
  smtpUrl?: string
  isDescribed?: boolean
  /** Settings that differ from those of other tests. */
  changed?: Partial<typeof settings>
}

/** Starts the service with a described seller. Without a URL mails go to the local mailbox. */
export async function startMail({ smtpUrl, isDescribed = true, changed = {} }: StartOptions = {}): Promise<TestMail> {
  Object.assign(process.env, settings, changed, smtpUrl && { SMTP_URL: smtpUrl })
  const service = await startTestService(mail)
  const organizationId = randomUUID()
  const list = async () => (await service.call(listMailMessages, { limit: 100 }, organizationCaller(organizationId))).items
  const described: TestMail = {
    ...service,
    organizationId,
    async describeSeller({ switchedOff = [], ...change } = {}) {
      const example = buildContractExample(organizationSnapshotted.payload) as Snapshot
      const settings = Object.fromEntries(
        Object.keys(example.customer_email_settings).map((name) => [name, !switchedOff.includes(name as keyof EmailSettings)]),
      ) as EmailSettings
      const payload = { ...example, id: organizationId, name: 'Harbour Books', slug: 'harbour', email: 'help@harbour.example', ...change }
      const about = { organizationId: payload.id, aggregateId: payload.id }
      const id = await service.emit(organizationSnapshotted, { ...payload, customer_email_settings: settings }, about)
      await eventually(async () => {
        const [seen] = await service.rows(`select from inbox_messages where message_id = $1`, [id])
        if (!seen) throw new Error('The seller is not stored yet')
      })
    },
    order(change = {}, buyer = {}) {
      const example = buildContractExample(orderPaid.payload) as Order
      const id = randomUUID()
      const customer = {
        ...example.customer,
        id,
        organization_id: organizationId,
        email: `${id}@buyer.example`,
        locale: null,
        deleted_at: null,
        ...buyer,
      }
      return { ...example, id: randomUUID(), customer_id: id, customer, billing_reason: 'purchase', subscription: null, ...change }
    },
    pay: (order, about = {}) => service.emit(orderPaid, order, { organizationId, aggregateId: order.id, ...about }),
    list,
    ended: (count) =>
      eventually(async () => {
        const items = await list()
        const ended = items.filter(({ status }) => status !== 'waiting')
        if (ended.length !== count || items.length !== count)
          throw new Error(
            `${ended.length} of ${items.length} mails have ended: ${items.map(({ kind, status, failure_reason }) => `${kind} ${status} ${failure_reason}`).join(', ')}`,
          )
        return items
      }),
  }
  if (isDescribed) await described.describeSeller()
  return described
}

/** Makes the mail due that waits for an hour, because it may have been delivered. */
export async function passHour(mail: TestMail): Promise<void> {
  const pass = `update messages set next_attempt_at = now()
    where status = 'waiting' and leased_until is null and next_attempt_at > now() + interval '59 minutes' returning id`
  await eventually(async () => expect(await mail.rows(pass)).toHaveLength(1))
}
