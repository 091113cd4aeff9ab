import { listCustomerBenefitGrants, type CustomerBenefitGrant } from '@quittance/contracts/customer-benefit-grants'
import { getCustomerLicenseKey, type LicenseKeyWithActivations } from '@quittance/contracts/license-keys'
import { ApiFailure } from '@quittance/pages/call-api'
import { dateElement } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { keyBox } from '../checkout/success-page.ts'
import type { PageContext } from '../page/page-context.ts'
import { pageLinks, readPage, toPageParameters, type PagedList } from './list-pages.ts'
import type { Exchange } from './load-subscription.ts'
import { badge, sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'

/** Benefits on a page. Each key needs a separate call: only the read of one key has its activations. */
const limit = 10

/** Sends the benefits of the customer, with the keys and how often they are used. */
export async function sendBenefits(session: PortalSession, { request, reply, options: { api, scripts } }: Exchange): Promise<FastifyReply> {
  const { context, call, organization, path } = session
  const { portal } = context.words
  const page = readPage(request, 'page')
  const { items, pagination } = await api.call(listCustomerBenefitGrants, { organization_id: organization.id, page, limit }, call)
  const benefits = await Promise.all(
    items.map(async (grant) => benefitRow(grant, { key: await findKey(grant, { session, api }), context })),
  )
  const pages: PagedList = {
    path: `${path}/benefits`,
    parameter: 'page',
    page,
    last: pagination.max_page,
    name: portal.benefits,
    heading: 'content',
  }
  const body = html`<h1>${portal.benefits}</h1>
    <section class="card stack">
      ${pagination.total_count === 0 && html`<p class="quiet">${portal.noBenefits}</p>`}
      <ul class="rows">
        ${benefits}
      </ul>
      ${pageLinks(pages, context)}
    </section>`
  return sendPortalPage(reply, session, { title: portal.benefits, body, script: scripts.portal, kept: toPageParameters({ page }) })
}

/** Returns the key of a benefit with its activations; null without one. */
async function findKey(
  { properties }: CustomerBenefitGrant,
  { session: { call }, api }: { session: PortalSession; api: Exchange['options']['api'] },
): Promise<LicenseKeyWithActivations | null> {
  const id = properties['license_key_id']
  if (typeof id !== 'string') return null
  try {
    return await api.call(getCustomerLicenseKey, { id }, call)
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 404) return null
    throw error
  }
}

function benefitRow(
  { benefit }: CustomerBenefitGrant,
  { key, context }: { key: LicenseKeyWithActivations | null; context: PageContext },
): Html {
  const { portal, status } = context.words
  const note = benefit.type === 'custom' ? benefit.properties.note : null
  const limitUsage = key?.limit_usage ?? null
  return html`<li class="stack-small">
    <p class="row">
      <span class="strong"><bdi>${benefit.description}</bdi></span>
      ${key && badge(key.status === 'granted' ? 'good' : 'quiet', status[key.status])}
    </p>
    ${note && html`<p class="quiet"><bdi>${note}</bdi></p>`} ${key && keyBox(key.key, context)}
    ${key?.expires_at && html`<p class="quiet">${portal.expires} ${dateElement(key.expires_at, context.locale)}</p>`}
    ${key && limitUsage !== null && html`<p class="quiet">${portal.uses(key.usage, limitUsage)}</p>`} ${key && activationList(key, context)}
  </li>`
}

/** The devices that use a key, where the benefit shows them to customers. */
function activationList({ activations }: LicenseKeyWithActivations, { words, locale }: PageContext): Html | null {
  if (activations.length === 0) return null
  return html`<p class="strong">${words.account.activations}</p>
    <ul class="rows">
      ${activations.map(
        ({ label, created_at }) =>
          html`<li><bdi>${label}</bdi> <span class="quiet">${words.account.activatedOn} ${dateElement(created_at, locale)}</span></li>`,
      )}
    </ul>`
}
