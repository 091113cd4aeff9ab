import { completeSandboxAction } from '@quittance/contracts/sandbox'
import { html } from '@quittance/pages/html'
import type { FastifyReply } from 'fastify'
import type { Payable } from '../checkout/payment-form.ts'
import { findProviderScript, isSandbox } from '../checkout/payment-methods.ts'
import { renderSandboxStep } from '../checkout/sandbox-step.ts'
import { renderBankStep } from '../checkout/stripe-form.ts'
import type { Exchange } from './load-subscription.ts'
import { sendPortalPage } from './portal-page.ts'
import type { PortalSession } from './portal-session.ts'

/** A step of a bank is open for minutes. */
export const stepSeconds = 1_800

/** Waits between questions for the result of a step of a bank, which the provider reports. */
export const stepWaitsMs = [200, 600, 1_000, 1_500, 2_000, 2_500]

/** Results with which a page continues after a step: `failed` is what its script reports, `completed` is to be read at the API. */
export type StepResult = 'completed' | 'failed'

/** Returns where a page continues after the step of a bank. */
export function stepAddress(path: string, step: StepResult, { context }: Pick<PortalSession, 'context'>): string {
  return `${path}?step=${step}&locale=${context.language}`
}

interface BankStep {
  exchange: Exchange
  payable: Payable
  /** Of the provider, for its script. */
  secret: string
  /** Path of the page that continues afterwards. */
  path: string
  title: string
}

/** Whether a page can open the step of the bank of a new payment. */
export function hasBankStep(payable: Payable, { options }: Exchange): boolean {
  return isSandbox(payable) || findProviderScript(payable, options) !== null
}

/** Completes the step of the bank in the sandbox. */
export async function completeSandboxStep(
  session: PortalSession,
  { options: { api }, reply }: Exchange,
  { secret, path }: Pick<BankStep, 'secret' | 'path'>,
): Promise<FastifyReply> {
  const { status } = await api.call(completeSandboxAction, { secret }, { visitor: session.context.visitor })
  return reply.redirect(stepAddress(path, status === 'succeeded' ? 'completed' : 'failed', session), 303)
}

/** Sends the page that opens the step of the buyer's bank, also when it is loaded again. */
export function sendBankStep(session: PortalSession, { exchange, payable, secret, path, title }: BankStep): FastifyReply {
  const { words, language } = session.context
  const { result } = words
  const completed = stepAddress(path, 'completed', session)
  const body = html`<div
    class="card stack"
    data-key="${payable.payment_processor_metadata['publishable_key']}"
    data-secret="${secret}"
    data-completed="${completed}"
    data-canceled="${stepAddress(path, 'failed', session)}"
  >
    <div class="stack" role="status">
      <h1>${title}</h1>
      <p>${result.action}</p>
    </div>
    ${isSandbox(payable) ? renderSandboxStep(words, { action: path, fields: stepFields(language) }) : renderBankStep(words)}
    <p class="actions"><a class="button" href="${completed}">${result.checkAgain}</a></p>
  </div>`
  const { scripts } = exchange.options
  const provider = findProviderScript(payable, exchange.options)
  return sendPortalPage(exchange.reply, session, { title, body, script: scripts.pay, provider })
}

const stepFields = (language: string) =>
  html`<input type="hidden" name="step" value="complete" /> <input type="hidden" name="locale" value="${language}" />`
