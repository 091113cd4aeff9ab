import type { Organization } from '@quittance/contracts/organizations'
import { errorSummary, selectField, textField, type FormError } from '@quittance/pages/fields'
import { momentElement } from '@quittance/pages/dates'
import { html, type Html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import { sellerLink } from '../checkout/result-pages.ts'
import type { PageContext } from '../page/page-context.ts'
import { sendPage } from '../page/send-page.ts'

/** What a consumer declares: a withdrawal of a contract, or the cancellation of a subscription. */
export type DeclarationKind = 'withdraw' | 'cancel'

/** A declaration as it is typed. */
export interface TypedDeclaration {
  name: string
  email: string
  reference: string
  ground: 'ordinary' | 'for_cause'
}

/** Where a declaration is made. */
export interface DeclarationPlace {
  kind: DeclarationKind
  organization: Organization
  context: PageContext
  /** Path to which the forms are sent. */
  action: string
}

interface FirstStep extends DeclarationPlace {
  typed: TypedDeclaration
  errors: readonly FormError[]
}

/** Returns the words of a kind. */
function nameKind({ kind, context }: DeclarationPlace) {
  const { declaration: words } = context.words
  return kind === 'withdraw'
    ? {
        title: words.withdraw,
        lead: words.withdrawLead,
        confirm: words.confirmWithdrawal,
        statement: words.withdrawalStatement,
        received: words.withdrawalReceived,
      }
    : {
        title: words.cancel,
        lead: words.cancelLead,
        confirm: words.confirmCancellation,
        statement: words.cancellationStatement,
        received: words.cancellationReceived,
      }
}

/** Sends the form of the first step: name, contract and address of the receipt; a reason is not asked for. */
export function sendFirstStep(reply: FastifyReply, step: FirstStep): FastifyReply {
  const { kind, organization, context, action, typed, errors } = step
  const { declaration: words, common } = context.words
  const { title, lead } = nameKind(step)
  const field = (
    name: keyof TypedDeclaration,
    about: { label: string; hint?: string; autocomplete?: string; type?: 'email'; maxlength: number },
  ) => textField({ name, value: typed[name], isRequired: true, error: errors.find((each) => each.field === name)?.message, ...about })
  return sendPage(reply, {
    status: errors.length > 0 ? 422 : 200,
    context,
    title: errors.length > 0 ? common.titleError(title) : title,
    brand: organization.name,
    languageForm: { id: 'declaration', enter: 'next' },
    body: html`<div class="narrow stack">
      ${errorSummary(common.problem, errors)}
      <form class="card stack" id="declaration" method="post" action="${action}" novalidate>
        <h1>${title}</h1>
        <p>${lead}</p>
        <input type="hidden" name="locale" value="${context.language}" />
        ${field('name', { label: words.name, autocomplete: 'name', maxlength: 100 })}
        ${field('reference', { label: words.contract, hint: words.contractHint, maxlength: 200 })}
        ${field('email', { label: words.email, hint: words.emailHint, autocomplete: 'email', type: 'email', maxlength: 254 })}
        ${
          kind === 'cancel' &&
          selectField({
            name: 'ground',
            label: words.ground,
            value: typed.ground,
            options: [
              { value: 'ordinary', label: words.ordinary },
              { value: 'for_cause', label: words.forCause },
            ],
          })
        }
        <p class="actions"><button class="button primary" name="intent" value="check">${words.next}</button></p>
      </form>
      ${sellerLink(organization, context)}
    </div>`,
  })
}

interface SecondStep extends DeclarationPlace {
  typed: TypedDeclaration
  /** Random text of the page: a declaration that is sent twice is made once. */
  once: string
  /** Whether the first step was on this page; not for an order that the portal names. */
  hasFirstStep: boolean
  /** Why it was not received. */
  error?: string | null
}

/** Sends the second step: everything that will be declared, and one button that declares it. */
export function sendSecondStep(reply: FastifyReply, step: SecondStep): FastifyReply {
  const { organization, context, action, typed, once, hasFirstStep, error = null } = step
  const { declaration: words, common } = context.words
  const { confirm } = nameKind(step)
  return sendPage(reply, {
    status: error ? 422 : 200,
    context,
    title: error ? common.titleError(words.check) : words.check,
    brand: organization.name,
    languageForm: { id: 'declaration', enter: 'next' },
    body: html`<div class="narrow stack">
      ${errorSummary(common.problem, error ? [{ field: null, message: error }] : [])}
      <form class="card stack" id="declaration" method="post" action="${action}">
        <h1>${words.check}</h1>
        ${statement(step)}
        <input type="hidden" name="locale" value="${context.language}" />
        <input type="hidden" name="once" value="${once}" />
        ${Object.entries(typed).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <p class="actions">
          <button class="button primary" name="intent" value="confirm">${confirm}</button>
          ${hasFirstStep && html`<button class="button" name="intent" value="change">${words.change}</button>`}
        </p>
      </form>
    </div>`,
  })
}

function statement(step: DeclarationPlace & { typed: TypedDeclaration }): Html {
  const { kind, organization, context, typed } = step
  const { declaration: words, common } = context.words
  const row = (label: string, value: string) =>
    html`<dt>${label}</dt>
      <dd><bdi>${value}</bdi></dd>`
  return html`<p class="strong">${nameKind(step).statement(typed.reference)}</p>
    <dl class="facts">
      ${row(words.name, typed.name)} ${row(words.email, typed.email)}
      ${kind === 'cancel' && row(words.ground, typed.ground === 'ordinary' ? words.ordinary : words.forCause)}
    </dl>
    <p class="quiet"><bdi>${common.soldBy(organization.name)}</bdi></p>`
}

interface Received extends DeclarationPlace {
  typed: TypedDeclaration
  receipt: { id: string; created_at: string }
  /** What follows. */
  note: string | null
}

/** Sends the receipt: content, date, time and number. The same is mailed. */
export function sendReceived(reply: FastifyReply, page: Received): FastifyReply {
  const { organization, context, typed, receipt, note } = page
  const { declaration: words } = context.words
  const { received } = nameKind(page)
  return sendPage(reply, {
    context,
    title: received,
    brand: organization.name,
    body: html`<div class="card narrow stack">
      <h1>${received}</h1>
      ${statement(page)}
      <dl class="facts">
        <dt>${words.receivedAt}</dt>
        <dd>${momentElement(receipt.created_at, context.locale)}</dd>
        <dt>${words.number}</dt>
        <dd><code>${receipt.id}</code></dd>
      </dl>
      <p role="status">${words.sentTo(typed.email)}</p>
      ${note && html`<p>${note}</p>`} ${sellerLink(organization, context)}
    </div>`,
  })
}
