import { randomUUID } from 'node:crypto'
import type { Caller } from '@quittance/contracts/caller'
import { customerCodeRequested, mailSecretContext } from '@quittance/contracts/customer-codes'
import { createCustomer } from '@quittance/contracts/customers'
import { requestEmailUpdate } from '@quittance/contracts/portal-customers'
import { openSecret } from '@quittance/runtime/encryption'
import { customerCaller } from '@quittance/testing/callers'
import type { OrdersUnderTest, Shop } from './start-orders.ts'

/** Returns the next event about a code, and the code as the mail service reads it. */
export async function readCode(orders: OrdersUnderTest) {
  const event = await orders.nextEvent(customerCodeRequested)
  const key = Buffer.from(process.env['MAIL_KEY'] ?? '', 'base64')
  return { event, code: openSecret(event.sealed_code, { keys: [key], context: mailSecretContext('customer_code', event.code_id) }) }
}

/** Requests the code for a new address of another customer, so that those of a shop keep theirs. */
export async function requestUpdateCode(
  orders: OrdersUnderTest,
  { seller, organizationId }: Shop,
): Promise<{ caller: Caller; code: string }> {
  const { id } = await orders.call(createCustomer, { email: `${randomUUID()}@example.com` }, seller)
  const caller = customerCaller({ organizationId, customerId: id })
  await orders.call(requestEmailUpdate, { email: `${randomUUID()}@example.com` }, caller)
  return { caller, code: (await readCode(orders)).code }
}
