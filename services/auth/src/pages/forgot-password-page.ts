import { html } from '@quittance/pages/html'
import { layout } from './layout.ts'

interface ForgotPasswordForm {
  action: string
  /** Path of the sign-in. */
  back: string
  error: string | null
}

/** Asks for the address to which a link is mailed. */
export function forgotPasswordForm({ action, back, error }: ForgotPasswordForm): string {
  return layout({
    title: error ? 'Error: forgot password' : 'Forgot password',
    body: html`<div class="card">
      <h1>Forgot your password?</h1>
      <p>We mail you a link with which you set a new one. It works once, for 45 minutes.</p>
      <form method="post" action="${action}">
        ${error && html`<p class="error" role="alert" id="email-error">${error}</p>`}
        <label for="email">E-mail address</label>
        <input
          id="email"
          name="email"
          type="email"
          autocomplete="username"
          maxlength="254"
          required
          ${error && html`aria-invalid="true" aria-describedby="email-error"`}
        />
        <div class="actions">
          <button class="primary" type="submit">Mail the link</button>
          <a class="button" href="${back}">Back to sign in</a>
        </div>
      </form>
      <p class="quiet">If you added a passkey, you do not need the password: choose it where you sign in.</p>
    </div>`,
  })
}

/** States the same for known and unknown addresses. */
export function resetMailedPage(back: string): string {
  return layout({
    title: 'Look into your mailbox',
    body: html`<div class="card" role="status">
      <h1>Look into your mailbox</h1>
      <p>If there is an account with this address, a mail with the link arrives in a minute. The link works once, for 45 minutes.</p>
      <div class="actions"><a class="button" href="${back}">Back to sign in</a></div>
    </div>`,
  })
}

/** The page of an installation that cannot mail links: it names who can help, and asks for no address. */
export function forgotPasswordPage(accountPath: string): string {
  return layout({
    title: 'Forgot password',
    body: html`<div class="card">
      <h1>Forgot your password?</h1>
      <p>
        Ask the people who run this service for a link to set a new one. They know you by the e-mail address that you sign in with, and the
        link works once, for 45 minutes.
      </p>
      <p class="quiet">If you added a passkey, you do not need the password: choose it where you sign in.</p>
      <div class="actions"><a class="button" href="${accountPath}">Back to sign in</a></div>
      <details>
        <summary>If you run this service</summary>
        <p>Make sure who is asking, then run:</p>
        <p><code>quittance account reset-password --email ADDRESS</code></p>
      </details>
    </div>`,
  })
}
