/** A replica of orders in a separate process, to be killed. */
import { runService } from '@quittance/runtime/service'
import { orders } from '../../src/service.ts'

await runService(orders)
process.send?.('started')
