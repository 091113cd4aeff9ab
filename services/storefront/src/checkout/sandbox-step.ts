import { html, type Html } from '@quittance/pages/html'
import type { Words } from '../words/all-words.ts'

interface SandboxStep {
  /** Path that completes the step. */
  action: string
  /** Further fields of its form. */
  fields?: Html
}

/** Renders the step of the bank in the sandbox. The token of the payment decides how it ends. */
export function renderSandboxStep({ checkout, payment }: Words, { action, fields }: SandboxStep): Html {
  return html`<form class="stack" method="post" action="${action}">
    <p class="test">${checkout.testBand}</p>
    ${fields}
    <p class="actions"><button class="button primary">${payment.completeAction}</button></p>
  </form>`
}
