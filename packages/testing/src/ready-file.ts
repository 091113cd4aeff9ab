import type { ServiceName } from '@quittance/contracts/services'

/** One process of a service. */
export interface ServiceProcess {
  pid: number
  /** Answers 200 when the process takes work. */
  health_url: string
  /** Public address; gateways only. */
  url?: string
}

/** An organization of the demo data. */
export interface DemoOrganization {
  id: string
  slug: string
}

/** What the demo organization sells and has sold. */
export interface DemoSales {
  product_id: string
  customer_id: string
  paid_order_id: string
  pending_order_id: string
}

/** What there is to try the system with. */
export interface DemoData extends DemoSales {
  organization: DemoOrganization
  organization_access_token: string
  personal_access_token: string
  user: { email: string; password: string }
  oauth_client: { client_id: string; client_secret: string; redirect_uri: string; scope: string }
  public_oauth_client: { client_id: string; redirect_uri: string; scope: string }
  second_organization: DemoOrganization & { organization_access_token: string }
}

/** What `npm start -- --ready-file` writes; tests, benchmarks and platform teams rely on it. Rewritten when a process was replaced. */
export interface ReadyFile {
  base_url: string
  auth_url: string
  /** Superuser of the embedded PostgreSQL; null when every service has a database elsewhere. */
  postgres_url: string | null
  /** With the credentials of the operator. */
  nats_url: string
  pid: number
  services: Record<ServiceName, ServiceProcess[]>
  demo?: DemoData
}
