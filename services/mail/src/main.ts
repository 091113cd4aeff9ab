import { runService } from '@quittance/runtime/service'
import { mail } from './service.ts'

await runService(mail)
