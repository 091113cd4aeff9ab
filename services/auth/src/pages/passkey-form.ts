import { html, type Html } from '@quittance/pages/html'

export interface PasskeyForm {
  /** URL that the form posts to. */
  action: string
  csrf: string
  /** WebAuthn options as JSON, and the challenge among them as signed by the server. */
  passkey: { options: object; challenge: string }
  /** At the second step: signed proof of the password. */
  pending?: string
  label: string
  isPrimary?: boolean
}

/** Hidden until the script of the page has detected browser support. */
export function passkeyForm({ action, csrf, passkey, pending, label, isPrimary }: PasskeyForm): Html {
  return html`<form method="post" action="${action}" data-passkey="${JSON.stringify(passkey.options)}" hidden>
    <input type="hidden" name="csrf" value="${csrf}" />
    <input type="hidden" name="challenge" value="${passkey.challenge}" />
    <input type="hidden" name="credential" value="" />
    ${pending && html`<input type="hidden" name="pending" value="${pending}" />`}
    <div class="actions"><button class="${isPrimary ? 'primary' : 'plain'}" type="submit">${label}</button></div>
    <p class="error" role="alert"></p>
  </form>`
}
