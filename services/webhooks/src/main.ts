import { runService } from '@quittance/runtime/service'
import { config } from './config.ts'
import { webhooks } from './service.ts'

// Without its key no secret could be read: better not to start than to fail at the first delivery.
config()
await runService(webhooks)
