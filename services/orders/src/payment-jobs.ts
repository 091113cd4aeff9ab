import type { ServiceComponent } from '@quittance/runtime/service'
import { config } from './config.ts'
import { assertSandboxIsPrivate } from './providers/provider-of.ts'
import { checkDueRefunds, refundsInProgress } from './refunds/check-due-refunds.ts'
import { paymentsInProgress, settleDuePayments } from './payments/settle-due-payments.ts'

/** The jobs that call payment providers. Closing waits for calls in progress, which end by their deadline. */
export async function startPaymentJobs(): Promise<ServiceComponent> {
  assertSandboxIsPrivate(config())
  return {
    name: 'payments',
    jobs: [settleDuePayments, checkDueRefunds],
    async close() {
      await Promise.all([paymentsInProgress.idle(), refundsInProgress.idle()])
    },
  }
}
