import { runPageService } from '@quittance/runtime/page-service'
import { storefront } from './service.ts'

await runPageService(storefront)
