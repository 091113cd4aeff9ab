import type { PageService } from '@quittance/runtime/page-service'
import { startPageServer } from './server/page-server.ts'

/** Pages for buyers: checkout, customer portal and start page. A client of the public API. */
export const storefront: PageService = {
  name: 'storefront',
  open: startPageServer,
}
