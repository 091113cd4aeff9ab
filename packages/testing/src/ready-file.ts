import type { ServiceName } from '@quittance/contracts/services'

/** One process of a service. */
export interface ServiceProcess {
  pid: number
  /** Returns 200 when the process accepts work. */
  health_url: string
  /** Public URL; gateways only. */
  url?: string
}

/** An organization of the demo data. */
export interface DemoOrganization {
  id: string
  slug: string
}

/** Sales data of the demo organization. */
export interface DemoSales {
  product_id: string
  customer_id: string
  paid_order_id: string
  pending_order_id: string
}

/** Demo data for trying out the system. */
export interface DemoData extends DemoSales {
  organization: DemoOrganization
  organization_access_token: string
  personal_access_token: string
  user: { email: string; password: string }
  oauth_client: { client_id: string; client_secret: string; redirect_uri: string; scope: string }
  public_oauth_client: { client_id: string; redirect_uri: string; scope: string }
  second_organization: DemoOrganization & { organization_access_token: string }
}

/**
 * Content of the file written by `npm start -- --ready-file`; tests, benchmarks and platform teams depend on it. Rewritten when a process
 * was replaced.
 */
export interface ReadyFile {
  base_url: string
  auth_url: string
  /** Address of the pages for buyers. */
  pages_url: string
  /** URL of the embedded PostgreSQL's superuser; null if every service has an external database. */
  postgres_url: string | null
  /**
   * URLs of external databases by service, with the roles that the services run with; none if all are embedded. Commands read the same
   * databases without their settings. The file has the passwords of all other servers, too: only its owner may read it.
   */
  external_databases?: Partial<Record<ServiceName, string>>
  /** URL with the credentials of the operator. */
  nats_url: string
  /** URL with the credentials of the user `stream`, which reads and manages the event stream. */
  stream_url: string
  /** Keys that sign the operator's requests, as in `BUS_KEY` and `BUS_PUBLIC_KEYS`. */
  operator_bus_key: string
  bus_public_keys: string
  pid: number
  services: Record<ServiceName, ServiceProcess[]>
  demo?: DemoData
}
