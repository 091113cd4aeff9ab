import { runService } from '@quittance/runtime/service'
import { webhooks } from './service.ts'

await runService(webhooks)
