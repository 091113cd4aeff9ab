import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createOrganizationAccessToken, createPersonalAccessToken } from '@quittance/contracts/access-tokens'
import { createAccount } from '@quittance/contracts/accounts'
import { createClient } from '@quittance/contracts/clients'
import { RequestValidationError } from '@quittance/contracts/errors'
import { createOrganization } from '@quittance/contracts/organizations'
import { scopes, type Scope } from '@quittance/contracts/scopes'
import type { DemoData, DemoSales } from '@quittance/testing/ready-file'
import { apiClient } from '../api-client.ts'
import type { Say } from '@quittance/testing/engines/engine'
import { withOperator, type Operator } from '../operator.ts'
import { makeDemoSales } from './demo-sales.ts'

interface Where {
  natsUrl: string
  /** Address of the gateway. */
  origin: string
}

interface DemoDataOptions extends Where {
  /** Where it is kept, so that a second start names the same credentials. */
  file: string
  say: Say
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

/** The demo data of a data folder; made at its first start. */
export async function provideDemoData({ file, natsUrl, origin, say }: DemoDataOptions): Promise<DemoData> {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  say('making a demo organization')
  const demo = await makeDemoData({ natsUrl, origin })
  writeFileSync(`${file}.tmp`, JSON.stringify(demo, null, 2), { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
  return demo
}

/** Demo data of its own in a system that runs; what exists is left alone, so it may be made as often as one likes. */
export async function makeDemoData({ natsUrl, origin }: Where): Promise<DemoData> {
  const people = await withOperator(natsUrl, makeOrganizations)
  return { ...people, ...(await makeDemoSales(apiClient({ origin, token: people.organization_access_token }))) }
}

async function makeOrganizations(operator: Operator): Promise<Omit<DemoData, keyof DemoSales>> {
  const { userId, suffix, ...user } = await makeUser(operator)
  const person = operator.inTheNameOf({ userId, organizationIds: [] })
  const make = async (name: string, slug: string) => {
    const organization = await person.ask(createOrganization, { name, slug: `${slug}${suffix}` })
    const member = operator.inTheNameOf({ userId, organizationIds: [organization.id] })
    const asked = { organization_id: organization.id, comment: 'Demo', scopes }
    const { token } = await member.ask(createOrganizationAccessToken, asked)
    return { organization: { id: organization.id, slug: organization.slug }, token }
  }
  const first = await make('Harbour Books', 'harbour-books')
  const second = await make('Second Shop', 'second-shop')
  const personal = await operator.ask(createPersonalAccessToken, { user_id: userId, comment: 'Demo', scopes })
  return {
    organization: first.organization,
    organization_access_token: first.token,
    personal_access_token: personal.token,
    user,
    ...(await makeClients(operator)),
    second_organization: { ...second.organization, organization_access_token: second.token },
  }
}

/** The usual names are taken when there are demo data already, or half of them; then all get an ending. */
async function makeUser(operator: Operator): Promise<{ userId: string; email: string; password: string; suffix: string }> {
  const password = randomBytes(12).toString('base64url')
  for (let suffix = ''; ; suffix = `-${randomBytes(3).toString('hex')}`) {
    const email = `demo${suffix}@example.com`
    try {
      const { id } = await operator.ask(createAccount, { email, password, email_verified: true })
      return { userId: id, email, password, suffix }
    } catch (error) {
      if (!(error instanceof RequestValidationError) || suffix) throw error
    }
  }
}

async function makeClients(operator: Operator): Promise<Pick<DemoData, 'oauth_client' | 'public_oauth_client'>> {
  const asked = { redirect_uris: [redirectUri], post_logout_redirect_uris: [postLogoutRedirectUri], scopes: clientScopes }
  const facts = { redirect_uri: redirectUri, scope: clientScopes.join(' ') }
  const confidential = await operator.ask(createClient, { ...asked, name: 'Demo web application' })
  const open = await operator.ask(createClient, { ...asked, name: 'Demo mobile application', is_public: true })
  return {
    oauth_client: { client_id: confidential.client_id, client_secret: confidential.client_secret ?? '', ...facts },
    public_oauth_client: { client_id: open.client_id, ...facts },
  }
}
