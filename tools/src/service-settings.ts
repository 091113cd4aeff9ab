/** The settings of all services, for pages and commands that list them. */
import { RuntimeConfig } from '@quittance/runtime/config'
import { AuthConfig } from '../../services/auth/src/config.ts'
import { GatewayConfig } from '../../services/gateway/src/config.ts'
import { InvoicesConfig } from '../../services/invoices/src/config.ts'
import { OrdersConfig } from '../../services/orders/src/config.ts'
import { WebhooksConfig } from '../../services/webhooks/src/config.ts'

export const serviceSettings = {
  every: RuntimeConfig,
  services: { gateway: GatewayConfig, auth: AuthConfig, orders: OrdersConfig, invoices: InvoicesConfig, webhooks: WebhooksConfig },
}
