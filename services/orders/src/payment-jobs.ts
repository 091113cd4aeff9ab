import type { ServiceComponent, ServiceResources } from '@quittance/runtime/service'
import { registerPaymentGauges } from './payment-gauges.ts'
import { checkDueDisputes, disputesInProgress } from './disputes/check-due-disputes.ts'
import { eventsInProgress, readProviderEvents } from './provider-events/read-provider-events.ts'
import { readSandboxDisputes } from './provider-events/read-sandbox-disputes.ts'
import { checkDueRefunds, refundsInProgress } from './refunds/check-due-refunds.ts'
import { detachMethodsAtProviders } from './payments/detach-methods.ts'
import { setupsInProgress } from './payment-setups/drive-setup.ts'
import { settleDueSetups } from './payment-setups/settle-due-setups.ts'
import { paymentsInProgress, settleDuePayments } from './payments/settle-due-payments.ts'

/** The jobs that call payment providers. Closing waits for calls in progress, which end by their deadline. */
export async function startPaymentJobs({ database }: ServiceResources): Promise<ServiceComponent> {
  if (database) registerPaymentGauges(database)
  return {
    name: 'payments',
    jobs: [
      settleDuePayments,
      settleDueSetups,
      checkDueRefunds,
      readProviderEvents,
      checkDueDisputes,
      readSandboxDisputes,
      detachMethodsAtProviders,
    ],
    async close() {
      await Promise.all(
        [paymentsInProgress, setupsInProgress, refundsInProgress, eventsInProgress, disputesInProgress].map((calls) => calls.idle()),
      )
    },
  }
}
