import { runService } from '@quittance/runtime/service'
import { orders } from './service.ts'

await runService(orders)
