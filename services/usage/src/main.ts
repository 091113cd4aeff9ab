import { runService } from '@quittance/runtime/service'
import { usage } from './service.ts'

await runService(usage)
