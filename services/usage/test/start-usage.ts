import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { customerCreated, type Customer } from '@quittance/contracts/customers'
import type { RequestInput } from '@quittance/contracts/operation'
import { buildContractExample } from '@quittance/contracts/schema-example'
import { ingestUsageEvents, listUsageEvents, type UsageEvent } from '@quittance/contracts/usage-events'
import { organizationCaller } from '@quittance/testing/callers'
import { eventually } from '@quittance/testing/eventually'
import { startTestService, type TestService } from '@quittance/testing/harness'
import { usage } from '../src/service.ts'

export type SentEvent = RequestInput<typeof ingestUsageEvents>['events'][number]

export interface TestUsage extends TestService {
  organizationId: string
  caller: Caller
  /** A customer of the organization, not published yet. */
  buildCustomer(change?: Partial<Customer>): Customer
  /** Publishes a customer as orders does, and waits until the copy has it. */
  publishCustomer(customer?: Customer): Promise<Customer>
  ingest(events: SentEvent[], caller?: Caller): Promise<{ inserted: number; duplicates: number }>
  list(request?: RequestInput<typeof listUsageEvents>, caller?: Caller): Promise<UsageEvent[]>
}

/** Starts the service with an organization that has no customers. */
export async function startUsage(): Promise<TestUsage> {
  process.env['CUSTOMER_WAIT_MS'] = '300'
  const service = await startTestService(usage)
  const organizationId = randomUUID()
  const own = organizationCaller(organizationId)
  const buildCustomer = (change: Partial<Customer> = {}): Customer => ({
    ...(buildContractExample(customerCreated.payload) as Customer),
    id: randomUUID(),
    organization_id: organizationId,
    email: `${randomUUID()}@buyer.example`,
    external_id: null,
    deleted_at: null,
    created_at: new Date().toISOString(),
    modified_at: null,
    ...change,
  })
  return {
    ...service,
    organizationId,
    caller: own,
    buildCustomer,
    async publishCustomer(customer = buildCustomer()) {
      const about = { organizationId: customer.organization_id, aggregateId: customer.id }
      await awaitHandled(service, await service.emit(customerCreated, customer, about))
      return customer
    },
    ingest: (events, caller = own) => service.call(ingestUsageEvents, { events }, caller),
    async list(request = {}, caller = own) {
      return (await service.call(listUsageEvents, { limit: 100, ...request }, caller)).items
    },
  }
}

/** Waits until the service has handled an event. */
export async function awaitHandled(service: TestService, id: string): Promise<void> {
  await eventually(async () => {
    const [seen] = await service.rows(`select from inbox_messages where message_id = $1`, [id])
    if (!seen) throw new Error('The event is not handled yet')
  })
}

/** An event of an external id, with what is given. */
export function buildEvent(change: Partial<SentEvent> = {}): SentEvent {
  return { name: 'tokens.used', external_customer_id: 'reader-1', metadata: { tokens: 5 }, ...change }
}
