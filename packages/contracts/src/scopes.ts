/** Every scope of credentials, with the sentence shown on the consent screen. */
export const scopeDescriptions = {
  openid: 'Know who you are',
  profile: 'Read your profile',
  email: 'Read your e-mail address',
  'user:read': 'Read your account',
  'organizations:read': 'Read your organizations',
  'organizations:write': 'Create and change organizations',
  'external_organizations:read': 'Read external organizations',
  'products:read': 'Read products',
  'products:write': 'Create and change products',
  'benefits:read': 'Read benefits',
  'benefits:write': 'Create and change benefits',
  'discounts:read': 'Read discounts',
  'discounts:write': 'Create and change discounts',
  'custom_fields:read': 'Read custom fields',
  'custom_fields:write': 'Create and change custom fields',
  'files:read': 'Read files',
  'files:write': 'Upload and change files',
  'checkout_links:read': 'Read checkout links',
  'checkout_links:write': 'Create and change checkout links',
  'license_keys:read': 'Read licence keys',
  'license_keys:write': 'Change licence keys',
  'checkouts:read': 'Read checkouts',
  'checkouts:write': 'Create and change checkouts',
  'orders:read': 'Read orders and their invoices',
  'orders:write': 'Change the billing details of orders',
  'refunds:read': 'Read refunds',
  'refunds:write': 'Refund orders',
  'subscriptions:read': 'Read subscriptions',
  'subscriptions:write': 'Change and cancel subscriptions',
  'payments:read': 'Read payments',
  'metrics:read': 'Read sales figures',
  'customers:read': 'Read customers',
  'customers:write': 'Create and change customers',
  'customer_sessions:write': 'Open the customer portal for a customer',
  'customer_meters:read': 'Read customers’ meters',
  'customer_portal:read': 'Read your purchases',
  'customer_portal:write': 'Change your purchases and billing details',
  'events:read': 'Read usage events',
  'events:write': 'Send usage events',
  'meters:read': 'Read meters',
  'meters:write': 'Create and change meters',
  'transactions:read': 'Read transactions',
  'transactions:write': 'Create transactions',
  'payouts:read': 'Read payouts',
  'payouts:write': 'Request payouts',
  'webhooks:read': 'Read webhook endpoints and deliveries',
  'webhooks:write': 'Create and change webhook endpoints',
  'notifications:read': 'Read notifications',
  'notifications:write': 'Change notifications',
  'notification_recipients:read': 'Read notification recipients',
  'notification_recipients:write': 'Change notification recipients',
  'repositories:read': 'Read repositories',
  'repositories:write': 'Change repositories',
  'issues:read': 'Read issues',
  'issues:write': 'Change issues',
} as const

/** A scope. No scope implies another: `orders:write` does not read. */
export type Scope = keyof typeof scopeDescriptions

/** All scopes as a list. */
export const scopes = Object.keys(scopeDescriptions) as [Scope, ...Scope[]]

/** Scopes of personal access tokens only: applications and organization tokens may not do this for a user. */
export const personalScopeDescriptions = {
  'clients:read': 'Read the applications you registered',
  'clients:write': 'Register, change and delete applications',
  'disputes:read': 'Read disputes of payments',
  'payment_accounts:read': 'Read accounts at payment providers',
  'payment_accounts:write': 'Decide to which account at a payment provider your organizations’ money goes',
  'user:write': 'Accept and decline invitations and revoke your personal access tokens',
} as const

/** A scope of a personal access token. */
export type PersonalScope = Scope | keyof typeof personalScopeDescriptions

/** All scopes of personal access tokens as a list. */
export const personalScopes = [...scopes, ...Object.keys(personalScopeDescriptions)] as [PersonalScope, ...PersonalScope[]]
