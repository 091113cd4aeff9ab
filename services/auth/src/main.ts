import { runService } from '@quittance/runtime/service'
import { auth } from './service.ts'

await runService(auth)
