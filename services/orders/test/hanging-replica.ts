/** A replica of orders in a separate process. Its processor records a refund in the file named by the first argument and never replies. */
import { appendFileSync } from 'node:fs'
import { runService } from '@quittance/runtime/service'
import { replaceProcessor } from '../src/payments/processor.ts'
import { orders } from '../src/service.ts'

replaceProcessor({
  authorize: () => Promise.resolve('authorized'),
  settle: () => Promise.resolve({ status: 'succeeded' }),
  checkRefund: () => Promise.resolve('succeeded'),
  refund({ refundId }) {
    appendFileSync(process.argv[2] as string, `${refundId}\n`)
    return new Promise(() => {})
  },
})
await runService(orders)
process.send?.('started')
