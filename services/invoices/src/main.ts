import { runService } from '@quittance/runtime/service'
import { invoices } from './service.ts'

await runService(invoices)
