import { html } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { passkeyForm } from './passkey-form.ts'
import { passkeyScript } from './passkey-script.ts'

export interface PasskeyPage {
  action: string
  back: string
  csrf: string
  passkey: { options: object; challenge: string }
  error: string | null
}

export function passkeyPage({ action, back, csrf, passkey, error }: PasskeyPage): string {
  return layout({
    title: error ? 'Error: add a passkey' : 'Add a passkey',
    script: passkeyScript,
    body: html`<div class="card">
      <h1>Add a passkey</h1>
      <p>
        Your device, password manager or security key keeps it. You sign in with your fingerprint, face, PIN or the key, and no site but
        this one gets to use it.
      </p>
      ${error && html`<p class="error" role="alert">${error}</p>`}
      ${passkeyForm({ action, csrf, passkey, label: 'Add a passkey', isPrimary: true })}
      <noscript><p class="notice">Passkeys need scripts, which are off in this browser. An authenticator app works without.</p></noscript>
      <p class="forgot"><a href="${back}">Cancel</a></p>
    </div>`,
  })
}
