import { runService } from '@quittance/runtime/service'
import { gateway } from './service.ts'

await runService(gateway)
