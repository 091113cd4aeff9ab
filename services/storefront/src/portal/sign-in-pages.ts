import { randomUUID } from 'node:crypto'
import type { Organization } from '@quittance/contracts/organizations'
import { errorSummary, textField, type FormError } from '@quittance/pages/fields'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { sellerLink } from '../checkout/result-pages.ts'
import { contractLinks } from '../page/contract-links.ts'
import type { PageContext } from '../page/page-context.ts'
import { sendNotice } from '../page/notice-page.ts'
import { sendPage } from '../page/send-page.ts'

interface Closed {
  organization: Organization
  context: PageContext
}

interface AddressForm extends Closed {
  status: number
  email?: string
  /** Page below the portal to show afterwards. */
  next: string
  errors?: readonly FormError[]
  notice?: string | null
}

/** Sends the form for the e-mail address of a customer who is not signed in. */
export function sendAddressForm(reply: FastifyReply, form: AddressForm): FastifyReply {
  const { organization, context, status, email = '', next, errors = [], notice = null } = form
  const { signIn, common, checkout } = context.words
  const title = signIn.title(organization.name)
  return sendPage(reply, {
    status,
    context,
    title: errors.length > 0 ? common.titleError(title) : title,
    brand: organization.name,
    body: html`<div class="narrow stack">
      ${notice && html`<p class="notice good" role="status">${notice}</p>`} ${errorSummary(common.problem, errors)}
      <form class="card stack" method="post" action="/${organization.slug}/portal/sign-in" novalidate>
        <h1>${title}</h1>
        <p>${signIn.lead}</p>
        <input type="hidden" name="locale" value="${context.language}" />
        <input type="hidden" name="next" value="${next}" />
        <input type="hidden" name="once" value="${randomUUID()}" />
        ${emailField({ label: checkout.email, email, errors })}
        <p class="actions"><button class="button primary">${signIn.send}</button></p>
      </form>
      ${sellerLink(organization, context)} ${contractLinks({ slug: organization.slug, context })}
    </div>`,
  })
}

/** Renders the field for an e-mail address. */
export function emailField({ label, email, errors }: { label: string; email: string; errors: readonly FormError[] }): Html {
  return textField({
    name: 'email',
    label,
    value: email,
    type: 'email',
    maxlength: 254,
    autocomplete: 'email',
    isRequired: true,
    error: errors.find(({ field }) => field === 'email')?.message,
  })
}

interface CodeForm extends Closed {
  status: number
  email: string
  notice: string | null
  errors: readonly FormError[]
}

/** Sends the form for the code: one field, which takes pasted text in any case. */
export function sendCodeForm(reply: FastifyReply, { organization, context, status, email, notice, errors }: CodeForm): FastifyReply {
  const { signIn, common } = context.words
  const path = `/${organization.slug}/portal/sign-in`
  return sendPage(reply, {
    status,
    context,
    title: errors.length > 0 ? common.titleError(signIn.codeTitle) : signIn.codeTitle,
    brand: organization.name,
    body: html`<div class="narrow stack">
      ${notice && html`<p class="notice" role="status">${notice}</p>`} ${errorSummary(common.problem, errors)}
      <form class="card stack" method="post" action="${path}/code" novalidate>
        <h1>${signIn.codeTitle}</h1>
        <p>${signIn.codeSent(email)}</p>
        <input type="hidden" name="locale" value="${context.language}" />
        <input type="hidden" name="once" value="${randomUUID()}" />
        ${codeFields({ context, confirm: signIn.signIn, errors })}
      </form>
      <p><a href="${path}?locale=${context.language}">${signIn.otherAddress}</a></p>
    </div>`,
  })
}

/** Renders the field for a code, and the buttons that use it, with the label `confirm`, and request another. */
export function codeFields({ context, confirm, errors }: Pick<CodeForm, 'context' | 'errors'> & { confirm: string }): Html {
  const { signIn } = context.words
  return html`${textField({
      name: 'code',
      label: signIn.code,
      value: '',
      maxlength: 50,
      autocomplete: 'one-time-code',
      isRequired: true,
      hint: signIn.codeHint,
      error: errors.find(({ field }) => field === 'code')?.message,
    })}
    <p class="actions">
      <button class="button primary" name="intent" value="use">${confirm}</button>
      <button class="button" name="intent" value="again">${signIn.sendAgain}</button>
    </p>`
}

/** Sends the page of an installation that cannot mail codes: the seller's link is the way in. */
export function sendCodesOff(reply: FastifyReply, { organization, context }: Closed): FastifyReply {
  const { signIn, portal } = context.words
  return sendNotice(reply, {
    status: 503,
    context,
    title: signIn.offTitle,
    brand: organization.name,
    body: html`<p>${portal.needLink(organization.name)}</p>
      ${sellerLink(organization, context)} ${contractLinks({ slug: organization.slug, context })}`,
  })
}
