import { updatePortalCustomer } from '@quittance/contracts/portal-customers'
import { ApiFailure } from '@quittance/pages/call-api'
import { errorSummary, textField, type FormError } from '@quittance/pages/fields'
import { html } from '@quittance/pages/html'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { toFormErrors } from '../checkout/needed-fields.ts'
import { maskEmail } from '../page/email-address.ts'
import { readText, type AppOptions } from '../page/page-context.ts'
import { addressFields, fillAddress, findMissingCountry, readAddress, toAddressInput, type TypedAddress } from './address-fields.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalRoute, PortalSession } from './portal-session.ts'

interface Exchange {
  request: FastifyRequest<PortalRoute>
  reply: FastifyReply
  options: AppOptions
}

const names = { nameField: 'name', prefix: 'billing_address' }

/** Sends the customer's own name, address and tax id. */
export async function sendDetails(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { customer, context } = session
  const typed = fillAddress(customer.name, customer.billing_address)
  const { query } = exchange.request
  const { portal, email } = context.words
  const notice = readText(query, 'changed') ? email.changed : readText(query, 'saved') ? portal.saved : null
  return sendDetailsPage(session, { exchange, typed, taxId: customer.tax_id?.[0] ?? '', errors: [], notice })
}

/** Saves them. A session that is bound to one purchase may not. */
export async function saveDetails(session: PortalSession, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, options } = exchange
  const { call, context, path } = session
  const typed = readAddress(request.body, names)
  const taxId = (readText(request.body, 'tax_id') ?? '').trim().slice(0, 50)
  const show = (errors: FormError[]) => sendDetailsPage(session, { exchange, typed, taxId, errors, notice: null })
  const missing = findMissingCountry(typed, { names, context })
  if (missing.length > 0) return show(missing)
  try {
    await options.api.call(
      updatePortalCustomer,
      { name: typed.name || null, billing_address: toAddressInput(typed), tax_id: taxId || null },
      call,
    )
    return reply.redirect(`${path}/details?saved=1&locale=${context.language}`, 303)
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error
    if (error.status === 403) return show([{ field: null, message: context.words.portal.changeNotAllowed }])
    if (error.status !== 422) throw error
    const errors = toFormErrors(error.issues, context)
    return show(
      errors.map((each, index) =>
        error.issues[index]?.loc[1] === 'tax_id' ? { field: 'tax_id', message: context.words.errors.taxId } : each,
      ),
    )
  }
}

interface DetailsPage {
  exchange: Exchange
  typed: TypedAddress
  taxId: string
  errors: readonly FormError[]
  notice: string | null
}

function sendDetailsPage(session: PortalSession, { exchange, typed, taxId, errors, notice }: DetailsPage): FastifyReply {
  const { context, customer, path } = session
  const { portal, common, checkout, email } = context.words
  const body = html`${errorSummary(common.problem, errors)} ${notice && html`<p class="notice good" role="status">${notice}</p>`}
    <h1>${portal.details}</h1>
    <section class="card row">
      <span
        ><span class="strong">${checkout.email}</span><br /><span class="quiet"><bdi>${maskEmail(customer.email)}</bdi></span></span
      >
      <a class="button" href="${path}/details/email?locale=${context.language}">${email.change}</a>
    </section>
    <form class="card stack" method="post" action="${path}/details" novalidate>
      <input type="hidden" name="locale" value="${context.language}" />
      <p class="quiet">${portal.detailsHint}</p>
      ${addressFields({ typed, names, nameLabel: checkout.name, errors, context })}
      ${textField({
        name: 'tax_id',
        label: checkout.taxId,
        value: taxId,
        maxlength: 50,
        optional: common.optional,
        hint: checkout.taxIdHint,
        error: errors.find(({ field }) => field === 'tax_id')?.message,
      })}
      <p class="actions"><button class="button primary">${common.save}</button></p>
    </form>`
  return sendPortalPage(exchange.reply, session, {
    title: errors.length > 0 ? common.titleError(portal.details) : portal.details,
    body,
    script: exchange.options.scripts.portal,
    status: errors.length > 0 ? 422 : 200,
  })
}
