import { html } from './html.ts'
import { layout } from './layout.ts'
import { shortened } from './shortened-name.ts'

export interface SignInPage {
  /** Where the form goes. */
  action: string
  csrf: string
  /** The application that asks, or null for the account pages. */
  clientName: string | null
  email: string
  /** What was wrong with the last try. */
  error: string | null
}

export function signInPage({ action, csrf, clientName, email, error }: SignInPage): string {
  const described = error ? html` aria-invalid="true" aria-describedby="error"` : null
  return layout({
    title: error ? 'Error: sign in' : 'Sign in',
    body: html`<div class="card">
      <h1>Sign in</h1>
      <p class="quiet">
        ${clientName ? html`to continue to <strong>${shortened(clientName)}</strong>` : 'to see your connected apps and sessions'}
      </p>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        <div class="field">
          <label for="email">E-mail address</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="username"
            required
            maxlength="254"
            value="${email}"
            ${described}${!email && html` autofocus`}
          />
        </div>
        <div class="field">
          <label for="password">Password</label>
          <input
            id="password"
            name="password"
            type="password"
            autocomplete="current-password"
            required
            maxlength="200"
            ${described}${email && html` autofocus`}
          />
          ${error && html`<p class="error" id="error" role="alert">${error}</p>`}
        </div>
        <div class="actions"><button class="primary" type="submit">Sign in</button></div>
      </form>
    </div>`,
  })
}
