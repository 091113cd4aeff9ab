import { html, type Html } from '@quittance/pages/html'
import type { Words } from '../words/all-words.ts'

/** Value of `confirmation_token_id` with which the form chooses to send the money: the order needs no token. */
export const transferToken = 'bank_transfer'

/** Renders the choice to send the money; `attributes` are further ones of its field. */
export function transferChoice({ account }: Words, isChosen: boolean, attributes: Html | null = null): Html {
  return html`<label class="choice">
    <input type="radio" name="confirmation_token_id" value="${transferToken}" ${isChosen && html`checked`} ${attributes} />
    <span>${account.method}. <span class="quiet">${account.hint}</span></span>
  </label>`
}
