import { runService } from '@quittance/runtime/service'
import { config } from './config.ts'
import { usage } from './service.ts'

// Fails at the start if a setting is invalid, instead of at the first request.
config()
await runService(usage)
