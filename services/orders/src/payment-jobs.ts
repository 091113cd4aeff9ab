import type { ServiceComponent } from '@quittance/runtime/service'
import { config } from './config.ts'
import { assertSandboxIsPrivate } from './payments/processor.ts'
import { checkDueRefunds } from './refunds/check-due-refunds.ts'
import { refundCalls } from './refunds/submit-refund.ts'
import { settleDuePayments, settlements } from './payments/settle-due-payments.ts'

/** The jobs that call the payment processor. Closing waits for calls in progress, which end by their deadline. */
export async function startPaymentJobs(): Promise<ServiceComponent> {
  assertSandboxIsPrivate(config())
  return {
    name: 'payments',
    jobs: [settleDuePayments, checkDueRefunds],
    async close() {
      await Promise.all([settlements.idle(), refundCalls.idle()])
    },
  }
}
