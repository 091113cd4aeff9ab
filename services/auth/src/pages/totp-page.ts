import { html, type Html } from '@quittance/pages/html'
import { layout } from './layout.ts'

export interface TotpPage {
  action: string
  back: string
  csrf: string
  /** The secret, sealed by the server; the form returns it. */
  sealedSecret: string
  /** In base 32, for manual entry. */
  secret: string
  /** `otpauth:` link for an app on this device. */
  uri: string
  qrCode: Html
  error: string | null
}

export function totpPage({ action, back, csrf, sealedSecret, secret, uri, qrCode, error }: TotpPage): string {
  return layout({
    title: error ? 'Error: set up an authenticator app' : 'Set up an authenticator app',
    body: html`<div class="card">
      <h1>Set up an authenticator app</h1>
      <p>Scan this with an app such as Aegis, 1Password or Google Authenticator.</p>
      <div class="qr" role="img" aria-label="QR code with the secret that is written below">${qrCode}</div>
      <details>
        <summary>Cannot scan it?</summary>
        <p>Enter this key, time-based: <code>${secret.match(/.{1,4}/g)?.join(' ')}</code></p>
        <p><a href="${uri}">Open it in an app on this device</a></p>
      </details>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <input type="hidden" name="sealed" value="${sealedSecret}" />
        <div class="field">
          <label for="code">Code that the app shows now</label>
          <input
            id="code"
            name="code"
            type="text"
            inputmode="numeric"
            autocomplete="one-time-code"
            required
            maxlength="10"
            autofocus
            ${error && html` aria-invalid="true" aria-describedby="error"`}
          />
          ${error && html`<p class="error" id="error" role="alert">${error}</p>`}
        </div>
        <div class="actions">
          <button class="primary" type="submit">Turn on</button>
          <a class="button" href="${back}">Cancel</a>
        </div>
      </form>
    </div>`,
  })
}
