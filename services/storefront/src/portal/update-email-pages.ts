import { randomUUID } from 'node:crypto'
import { errorSummary, type FormError } from '@quittance/pages/fields'
import { html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import type { Exchange } from './load-subscription.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'
import { codeFields, emailField } from './sign-in-pages.ts'

interface EmailPage {
  exchange: Exchange
  email: string
  errors: readonly FormError[]
  status: number
}

/** Sends the form for the new address. */
export function sendAddressPage(session: PortalSession, { exchange, email, errors, status }: EmailPage): FastifyReply {
  const { context, path } = session
  const { common, signIn: signInWords, email: words } = context.words
  const body = html`${errorSummary(common.problem, errors)}
    <form class="card stack" method="post" action="${path}/details/email" novalidate>
      <h1>${words.change}</h1>
      <p>${words.lead}</p>
      <input type="hidden" name="locale" value="${context.language}" />
      ${emailField({ label: words.label, email, errors })}
      <p class="actions"><button class="button primary">${signInWords.send}</button></p>
    </form>`
  const title = errors.length > 0 ? common.titleError(words.change) : words.change
  return sendPortalPage(exchange.reply, session, { title, body, script: exchange.options.scripts.portal, status })
}

/** Sends the form for the code that was mailed to it. */
export function sendCodePage(
  session: PortalSession,
  { exchange, email, notice, errors, status }: EmailPage & { notice: string | null },
): FastifyReply {
  const { context, path } = session
  const { common, signIn: signInWords, email: words } = context.words
  const body = html`${notice && html`<p class="notice" role="status">${notice}</p>`} ${errorSummary(common.problem, errors)}
    <form class="card stack" method="post" action="${path}/details/email/code" novalidate>
      <h1>${signInWords.codeTitle}</h1>
      <p>${words.codeSent(email)}</p>
      <input type="hidden" name="locale" value="${context.language}" />
      <input type="hidden" name="once" value="${randomUUID()}" />
      ${codeFields({ context, confirm: words.confirm, errors })}
    </form>
    <p><a href="${path}/details/email?locale=${context.language}">${signInWords.otherAddress}</a></p>`
  const title = errors.length > 0 ? common.titleError(signInWords.codeTitle) : signInWords.codeTitle
  return sendPortalPage(exchange.reply, session, { title, body, script: exchange.options.scripts.portal, status })
}
