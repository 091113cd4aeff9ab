/** Measures the cost of an idempotent write with its event through the gateway, side by side with peers that do the same. */
import type { Scenario } from '../scenario.ts'
import { sideBySide } from './side-by-side.ts'

export const createCustomerRequest = { paths: ['/v1/customers/'], write: '{"email":"{n}@example.com","name":"Ada Lovelace"}' }

export const createCustomer: Scenario = {
  summary: 'CPU, rate and latency of POST /v1/customers/ with an Idempotency-Key, side by side with peers',
  run: (stage) =>
    sideBySide(stage, {
      scenario: 'create-customer',
      subject: 'POST /v1/customers/, each with a unique Idempotency-Key, event published through the outbox',
      defaultConnections: 32,
      request: createCustomerRequest,
    }),
}
