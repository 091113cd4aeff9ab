import { runService } from '@quittance/runtime/service'
import { config } from './config.ts'
import { webhooks } from './service.ts'

// Fails at the start if the key is missing, instead of at the first delivery.
config()
await runService(webhooks)
