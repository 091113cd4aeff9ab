import { randomBytes } from 'node:crypto'
import { createOrganizationAccessToken, createPersonalAccessToken } from '@quittance/contracts/access-tokens'
import { createAccount } from '@quittance/contracts/accounts'
import { createClient } from '@quittance/contracts/clients'
import { RequestValidationError } from '@quittance/contracts/errors'
import { createOrganization } from '@quittance/contracts/organizations'
import { personalScopes, scopes, type Scope } from '@quittance/contracts/scopes'
import type { DemoData, DemoSales } from '@quittance/testing/ready-file'
import { apiClient } from '../api-client.ts'
import type { ProgressReporter } from '@quittance/testing/engines/engine'
import { readJsonFile, writeJsonFile } from '@quittance/testing/engines/json-file'
import type { OperatorAccess } from '@quittance/runtime/bus/operator-access'
import { withOperator, type Operator } from '../operator.ts'
import { createDemoSales } from './demo-sales.ts'

interface TargetSystem {
  operator: OperatorAccess
  /** Address of the gateway. */
  origin: string
}

interface DemoDataOptions extends TargetSystem {
  /** File of the demo data, so that a second start shows the same credentials. */
  file: string
  report: ProgressReporter
  /** Whether the sandbox takes payments: the demo orders are paid there. */
  canSell: boolean
}

const redirectUri = 'http://127.0.0.1:8976/callback'
const postLogoutRedirectUri = 'http://127.0.0.1:8976/'
const clientScopes: [Scope, ...Scope[]] = [
  'openid',
  'profile',
  'email',
  'organizations:read',
  'products:read',
  'customers:read',
  'orders:read',
  'orders:write',
]

/**
 * Returns the demo data of a data folder; creates them at its first start. Null where there are none and nothing can be sold, and where their
 * file is damaged: nothing else needs them.
 */
export async function provideDemoData({ file, operator, origin, report, canSell }: DemoDataOptions): Promise<DemoData | null> {
  try {
    const stored = readJsonFile<DemoData>(file)
    if (stored) return stored
  } catch (error) {
    report(`no demo data: ${(error as Error).message} Delete it, and the next start creates others.`)
    return null
  }
  if (!canSell) {
    report('no demo organization: its orders need the payments of the sandbox (SANDBOX_PAYMENTS=on)')
    return null
  }
  report('creating a demo organization')
  const demo = await createDemoData({ operator, origin })
  writeJsonFile(file, demo)
  return demo
}

/** Creates new demo data in a running system. Existing data are not changed, so it may be repeated. */
export async function createDemoData({ operator, origin }: TargetSystem): Promise<DemoData> {
  const organizations = await withOperator(operator, createOrganizations)
  return { ...organizations, ...(await createDemoSales(apiClient({ origin, token: organizations.organization_access_token }))) }
}

async function createOrganizations(operator: Operator): Promise<Omit<DemoData, keyof DemoSales>> {
  const { userId, suffix, ...user } = await createUser(operator)
  const actor = operator.actAs({ userId, organizationIds: [] })
  const create = async (name: string, slug: string) => {
    const organization = await actor.call(createOrganization, { name, slug: `${slug}${suffix}` })
    const member = operator.actAs({ userId, organizationIds: [organization.id] })
    const request = { organization_id: organization.id, comment: 'Demo', scopes }
    const { token } = await member.call(createOrganizationAccessToken, request)
    return { organization: { id: organization.id, slug: organization.slug }, token }
  }
  const first = await create('Harbour Books', 'harbour-books')
  const second = await create('Second Shop', 'second-shop')
  const personal = await createPersonalToken(operator, userId)
  return {
    organization: first.organization,
    organization_access_token: first.token,
    personal_access_token: personal.token,
    user,
    ...(await createClients(operator)),
    second_organization: { ...second.organization, organization_access_token: second.token },
  }
}

/** With every scope of a user; an auth of release 0.1.0 knows fewer. */
async function createPersonalToken(operator: Operator, user_id: string): Promise<{ token: string }> {
  const request = { user_id, comment: 'Demo' }
  try {
    return await operator.call(createPersonalAccessToken, { ...request, scopes: personalScopes })
  } catch (error) {
    if (!(error instanceof RequestValidationError)) throw error
    return operator.call(createPersonalAccessToken, { ...request, scopes })
  }
}

/** The default names are taken if demo data exist already, or half of them; then all get a suffix. */
async function createUser(operator: Operator): Promise<{ userId: string; email: string; password: string; suffix: string }> {
  const password = randomBytes(12).toString('base64url')
  for (let suffix = ''; ; suffix = `-${randomBytes(3).toString('hex')}`) {
    const email = `demo${suffix}@example.com`
    try {
      const { id } = await operator.call(createAccount, { email, password, email_verified: true })
      return { userId: id, email, password, suffix }
    } catch (error) {
      if (!(error instanceof RequestValidationError) || suffix) throw error
    }
  }
}

async function createClients(operator: Operator): Promise<Pick<DemoData, 'oauth_client' | 'public_oauth_client'>> {
  const request = { redirect_uris: [redirectUri], post_logout_redirect_uris: [postLogoutRedirectUri], scopes: clientScopes }
  const facts = { redirect_uri: redirectUri, scope: clientScopes.join(' ') }
  const confidential = await operator.call(createClient, { ...request, name: 'Demo web application' })
  const open = await operator.call(createClient, { ...request, name: 'Demo mobile application', is_public: true })
  return {
    oauth_client: { client_id: confidential.client_id, client_secret: confidential.client_secret ?? '', ...facts },
    public_oauth_client: { client_id: open.client_id, ...facts },
  }
}
