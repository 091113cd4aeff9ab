import { runService } from '@quittance/runtime/service'
import { provisioner } from './service.ts'

await runService(provisioner)
