import { html, type Html } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { passkeyForm } from './passkey-form.ts'
import { passkeyScript } from './passkey-script.ts'

export interface SecondFactorPage {
  /** The form posts to a path below it. */
  path: string
  /** Query of the form's URL, with its question mark; empty for none. */
  suffix: string
  csrf: string
  /** Signed proof that the password was correct. */
  pending: string
  hasTotp: boolean
  passkey: { options: object; challenge: string } | null
  error: string | null
}

/** Renders the second step: a code or a passkey. */
export function secondFactorPage(page: SecondFactorPage): string {
  const { path, suffix, csrf, pending, passkey, error } = page
  const action = `${path}/second-factor${suffix}`
  return layout({
    title: error ? 'Error: second step' : 'Second step',
    script: passkey && passkeyScript,
    body: html`<div class="card">
      <h1>Second step</h1>
      ${passkey && passkeyForm({ action, csrf, passkey, pending, label: 'Use a passkey', isPrimary: !page.hasTotp })}
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="pending" value="${pending}" />
        ${codeField(page)}
        <div class="actions"><button class="${page.hasTotp ? 'primary' : 'plain'}" type="submit">Continue</button></div>
      </form>
      <p class="quiet forgot">No phone or passkey at hand? Enter one of your recovery codes. Without any of them, ask your operator.</p>
    </div>`,
  })
}

function codeField({ hasTotp, error }: SecondFactorPage): Html {
  return html`<div class="field">
    <label for="code">${hasTotp ? 'Code from your authenticator app, or a recovery code' : 'Recovery code'}</label>
    <input
      id="code"
      name="code"
      type="text"
      autocomplete="one-time-code"
      autocapitalize="off"
      spellcheck="false"
      required
      maxlength="40"
      ${hasTotp && html` autofocus`}${error && html` aria-invalid="true" aria-describedby="error"`}
    />
    ${error && html`<p class="error" id="error" role="alert">${error}</p>`}
  </div>`
}
