import { scopes as known, type Scope } from '@quittance/contracts/scopes'
import type { FastifyReply } from 'fastify'
import { errors } from 'oidc-provider'
import { consentPage, type ChoosableOrganization } from '../pages/consent-page.ts'
import { formTarget, pageHeaders } from '../pages/layout.ts'
import { organizationPage } from '../pages/organization-page.ts'
import { rememberConsent, requestedSubject } from '../provider/remembered-consent.ts'
import { finish, type Step } from './step.ts'

const findOrganizations = `
  select o.id, o.name, o.slug from members m join organizations o on o.id = m.organization_id
  where m.account_id = :account_id order by lower(o.name), o.id`

const findEmail = `select email from accounts where id = :account_id`

/** Allow or deny. Membership is asked anew: the page may be old, and the form may come from anybody. */
export async function answerConsent(step: Step): Promise<FastifyReply> {
  const { form, details } = step
  if (form['action'] !== 'allow') {
    return finish(step, { error: 'access_denied', error_description: 'the resource owner denied the request' }, false)
  }
  if (isForPerson(step)) return allow(step, { subType: 'user', organizationId: null })
  const organizations = await organizationsOf(step)
  const chosen = organizations.find(({ id }) => id === form['organization_id'])
  if (!chosen) return showConsent(step, { status: 400, error: 'Choose one of your organizations.' })
  const asked = requestedSubject(details.params)?.organizationId
  if (asked && asked !== chosen.id) return showConsent(step, { status: 400, error: 'The application asked for another organization.' })
  return allow(step, { subType: 'organization', organizationId: chosen.id })
}

interface Subject {
  subType: 'user' | 'organization'
  organizationId: string | null
}

async function allow(step: Step, subject: Subject): Promise<FastifyReply> {
  const { provider, details, options } = step
  const accountId = demandAccount(step)
  const clientId = String(details.params['client_id'])
  const grant = new provider.Grant({ accountId, clientId })
  Object.assign(grant, subject)
  // A fresh grant has nothing yet: it gets all that was asked for, not just what an earlier one lacked.
  const scopes = requestedScopes(step)
  grant.addOIDCScope(scopes.join(' '))
  const { missingResourceScopes = {} } = details.prompt.details as { missingResourceScopes?: Record<string, string[]> }
  for (const [resource, missing] of Object.entries(missingResourceScopes)) grant.addResourceScope(resource, missing.join(' '))
  const grantId = await grant.save()
  await rememberConsent(options.rows, { accountId, clientId, organizationId: subject.organizationId, scopes })
  return finish(step, { consent: { grantId } })
}

/** The page; with what was wrong about the last answer. */
export async function showConsent(
  step: Step,
  { status, error }: { status: number; error: string | null } = { status: 200, error: null },
): Promise<FastifyReply> {
  const { provider, details, path, options, reply } = step
  const client = await provider.Client.find(String(details.params['client_id']))
  if (!client) throw new errors.SessionNotFound('the client is gone')
  const [account] = await options.rows<{ email: string }>('consent.email', findEmail, { account_id: demandAccount(step) })
  const asked = requestedSubject(details.params)?.organizationId ?? null
  const all = isForPerson(step) ? null : await organizationsOf(step)
  const offered = asked && all ? all.filter(({ id }) => id === asked) : all
  const name = client.clientName ?? client.clientId
  const notOffered = asked && offered?.length === 0 ? `You are not a member of the organization that ${name} asked for.` : null
  const form = { action: path, csrf: options.csrf.token(details.uid), error: notOffered ?? error }
  if (all?.length === 0) return answer(organizationPage({ ...form, clientName: name }))
  const page = consentPage({
    ...form,
    client: {
      name,
      isTrusted: client['is_trusted'] === true,
      redirectHost: URL.parse(String(details.params['redirect_uri']))?.host ?? '',
      termsUri: client.tosUri ?? null,
      policyUri: client.policyUri ?? null,
    },
    email: account?.email ?? '',
    scopes: requestedScopes(step),
    organizations: offered,
    chosen: asked,
  })
  return answer(page)

  function answer(text: string): FastifyReply {
    return reply
      .code(status)
      .headers(pageHeaders(formTarget(details.params['redirect_uri'])))
      .send(text)
  }
}

function isForPerson({ details }: Step): boolean {
  return details.params['sub_type'] === 'user'
}

/** Who is signed in. */
export function demandAccount({ details }: Step): string {
  if (!details.session?.accountId) throw new errors.SessionNotFound('nobody is signed in')
  return details.session.accountId
}

function organizationsOf(step: Step): Promise<ChoosableOrganization[]> {
  return step.options.rows<ChoosableOrganization>('consent.organizations', findOrganizations, { account_id: demandAccount(step) })
}

function requestedScopes({ details }: Step): Scope[] {
  const { scope } = details.params
  const asked = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  return known.filter((scope) => asked.has(scope))
}
