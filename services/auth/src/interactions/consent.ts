import { scopes as known, type Scope } from '@quittance/contracts/scopes'
import type { FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { consentPage, type RequestingClient, type OrganizationOption } from '../pages/consent-page.ts'
import { pageHeaders } from '../pages/layout.ts'
import { organizationPage } from '../pages/organization-page.ts'
import { saveConsent, requestedSubject } from '../provider/consent-store.ts'
import { finishInteraction, type InteractionContext } from './interaction-context.ts'

const findOrganizations = `
  select o.id, o.name, o.slug, to_json(o.created_at)#>>'{}' as created_at from members m join organizations o on o.id = m.organization_id
  where m.account_id = :account_id order by lower(o.name), o.id`

const findClient = `select to_json(created_at)#>>'{}' as created_at from clients where client_id = :client_id`

const findEmail = `select email from accounts where id = :account_id`

/** Handles "Allow" and "Deny". Reads the memberships again: the page may be outdated, and the form input is untrusted. */
export async function handleConsent(step: InteractionContext): Promise<FastifyReply> {
  const { form, details } = step
  if (form['action'] !== 'allow') {
    return finishInteraction(step, { error: 'access_denied', error_description: 'the resource owner denied the request' }, false)
  }
  if (isForPerson(step)) return allow(step, { subType: 'user', organizationId: null })
  const organizations = await readOrganizations(step)
  const chosen = organizations.find(({ id }) => id === form['organization_id'])
  if (!chosen) return renderConsent(step, { status: 400, error: 'Choose one of your organizations.' })
  const requested = requestedSubject(details.params)?.organizationId
  if (requested && requested !== chosen.id)
    return renderConsent(step, { status: 400, error: 'The application asked for another organization.' })
  return allow(step, { subType: 'organization', organizationId: chosen.id })
}

interface Subject {
  subType: 'user' | 'organization'
  organizationId: string | null
}

async function allow(step: InteractionContext, subject: Subject): Promise<FastifyReply> {
  const { provider, details, options } = step
  const accountId = requireSignedInAccount(step)
  const clientId = String(details.params['client_id'])
  const grant = new provider.Grant({ accountId, clientId })
  Object.assign(grant, subject)
  // A new grant has no scopes yet: it gets all requested ones, not only those that an earlier grant lacked.
  const scopes = requestedScopes(step)
  grant.addOIDCScope(scopes.join(' '))
  const { missingResourceScopes = {} } = details.prompt.details as { missingResourceScopes?: Record<string, string[]> }
  for (const [resource, missing] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, missing.join(' '))
  let grantId: string
  try {
    grantId = await grant.save()
  } catch (error) {
    // The page is older than a change of the client.
    if (!(error instanceof errors.InvalidScope)) throw error
    return finishInteraction(step, { error: error.error, error_description: error.error_description ?? '' }, false)
  }
  const redirectUri = String(details.params['redirect_uri'])
  await saveConsent(options.systemSql, { accountId, clientId, organizationId: subject.organizationId, scopes, redirectUri })
  return finishInteraction(step, { consent: { grantId } })
}

/** Renders the page with the error of the last submission. */
export async function renderConsent(
  step: InteractionContext,
  { status, error }: { status: number; error: string | null } = { status: 200, error: null },
): Promise<FastifyReply> {
  const { provider, details, path, options, reply } = step
  const client = await provider.Client.find(String(details.params['client_id']))
  if (!client) throw new errors.SessionNotFound('the client no longer exists')
  const requested = requestedSubject(details.params)?.organizationId ?? null
  const isForOrganization = !isForPerson(step)
  const all = await readOrganizations(step)
  const offered = requested ? all.filter(({ id }) => id === requested) : all
  const name = client.clientName ?? client.clientId
  const notOffered = requested && offered.length === 0 ? `You are not a member of the organization that ${name} asked for.` : null
  const form = { action: path, csrf: options.csrf.token(details.uid), error: notOffered ?? error }
  if (isForOrganization && all.length === 0) return answer(organizationPage({ ...form, clientName: name }))
  const page = consentPage({
    ...form,
    client: await requestingClient(step, client),
    email: await readSignedInEmail(step),
    scopes: requestedScopes(step),
    isForOrganization,
    organizations: offered,
    chosen: requested,
  })
  return answer(page)

  function answer(text: string): FastifyReply {
    return reply
      .code(status)
      .headers(pageHeaders({ endsAtClient: true }))
      .send(text)
  }
}

type Client = NonNullable<Awaited<ReturnType<InteractionContext['provider']['Client']['find']>>>

async function requestingClient({ options, details }: InteractionContext, client: Client): Promise<RequestingClient> {
  const [registered] = await options.systemSql<{ created_at: string }>('consent.client', findClient, { client_id: client.clientId })
  const redirect = URL.parse(String(details.params['redirect_uri']))
  return {
    name: client.clientName ?? client.clientId,
    isTrusted: client['is_trusted'] === true,
    documentHost: client.clientId.startsWith('https://') ? (URL.parse(client.clientId)?.host ?? null) : null,
    homeHost: (client.clientUri && URL.parse(client.clientUri)?.host) || null,
    registeredAt: registered?.created_at ?? null,
    // A private-use scheme has no host (RFC 8252 §7.1).
    redirectHost: redirect?.host || redirect?.protocol || '',
    termsUri: client.tosUri ?? null,
    policyUri: client.policyUri ?? null,
  }
}

function isForPerson({ details }: InteractionContext): boolean {
  return details.params['sub_type'] === 'user'
}

/** Returns the account that is signed in; throws `SessionNotFound` without one. */
export function requireSignedInAccount({ details }: InteractionContext): string {
  if (!details.session?.accountId) throw new errors.SessionNotFound('no user is signed in')
  return details.session.accountId
}

/** Returns the e-mail address of the account that is signed in; empty if the account was deleted since. */
export async function readSignedInEmail(step: InteractionContext): Promise<string> {
  const values = { account_id: requireSignedInAccount(step) }
  const [account] = await step.options.systemSql<{ email: string }>('consent.email', findEmail, values)
  return account?.email ?? ''
}

function readOrganizations(step: InteractionContext): Promise<OrganizationOption[]> {
  return step.options.systemSql<OrganizationOption>('consent.organizations', findOrganizations, {
    account_id: requireSignedInAccount(step),
  })
}

function requestedScopes({ details }: InteractionContext): Scope[] {
  const { scope } = details.params
  const requested = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  return known.filter((scope) => requested.has(scope))
}
