/** The settings of all services, for pages and commands that list them. */
import { RuntimeConfig } from '@quittance/runtime/config'
import { AuthConfig } from '@quittance/auth/config'
import { GatewayConfig } from '@quittance/gateway/config'
import { InvoicesConfig } from '@quittance/invoices/config'
import { MailConfig } from '@quittance/mail/config'
import { OrdersConfig } from '@quittance/orders/config'
import { ProvisionerConfig } from '@quittance/provisioner/config'
import { StorefrontConfig } from '@quittance/storefront/config'
import { UsageConfig } from '@quittance/usage/config'
import { WebhooksConfig } from '@quittance/webhooks/config'

export const serviceSettings = {
  every: RuntimeConfig,
  services: {
    gateway: GatewayConfig,
    auth: AuthConfig,
    orders: OrdersConfig,
    invoices: InvoicesConfig,
    webhooks: WebhooksConfig,
    mail: MailConfig,
    usage: UsageConfig,
    provisioner: ProvisionerConfig,
    storefront: StorefrontConfig,
  },
}
