import { html, isolate, type Html } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { passkeyForm } from './passkey-form.ts'
import { passkeyScript } from './passkey-script.ts'
import { usernameField } from './password-fields.ts'
import { truncateName } from './consent-page.ts'

export interface SignInPage {
  /** The forms post to paths below it. */
  path: string
  /** Query of the forms' URLs, with its question mark; empty for none. */
  suffix: string
  csrf: string
  /** Name of the requesting application; null for the account pages. */
  clientName: string | null
  /** E-mail address of the signed-in user who confirms the session; null if any account may sign in. */
  confirms: string | null
  email: string
  /** Error of the last attempt. */
  error: string | null
  /** Null if passkeys are not available. */
  passkey: { options: object; challenge: string } | null
  forgotPasswordPath: string
}

export function signInPage(page: SignInPage): string {
  const { path, suffix, csrf, confirms, error, passkey, forgotPasswordPath } = page
  const title = confirms ? 'Confirm that it is you' : 'Sign in'
  return layout({
    title: error ? `Error: ${title.toLowerCase()}` : title,
    script: passkey && passkeyScript,
    body: html`<div class="card">
      <h1>${title}</h1>
      <p class="quiet">${describePurpose(page)}</p>
      <form method="post" action="${path}/sign-in${suffix}">
        <input type="hidden" name="csrf" value="${csrf}" />
        ${emailField(page)} ${passwordField(page)}
        <div class="actions"><button class="primary" type="submit">${confirms ? 'Confirm' : 'Sign in'}</button></div>
      </form>
      ${
        passkey &&
        passkeyForm({ action: `${path}/passkey${suffix}`, csrf, passkey, label: confirms ? 'Use a passkey' : 'Sign in with a passkey' })
      }
      <p class="quiet forgot"><a href="${forgotPasswordPath}">Forgot password?</a></p>
    </div>`,
  })
}

function describePurpose({ clientName, confirms }: SignInPage): Html {
  if (confirms) {
    return html`You are about to change how your account is protected. You are signed in as <strong><bdi>${confirms}</bdi></strong
      >.`
  }
  return clientName
    ? html`to continue to <strong>${isolate(truncateName(clientName))}</strong>`
    : html`to see your account, your connected apps and where you are signed in`
}

/** A user who confirms is already known. */
function emailField({ email, confirms, error }: SignInPage): Html {
  if (confirms) return usernameField(confirms)
  return html`<div class="field">
    <label for="email">E-mail address</label>
    <input
      id="email"
      name="email"
      type="email"
      autocomplete="username"
      required
      maxlength="254"
      value="${email}"
      ${describedBy(error)}${!email && html` autofocus`}
    />
  </div>`
}

function passwordField({ email, error }: SignInPage): Html {
  return html`<div class="field">
    <label for="password">Password</label>
    <input
      id="password"
      name="password"
      type="password"
      autocomplete="current-password"
      required
      maxlength="200"
      ${describedBy(error)}${email && html` autofocus`}
    />
    ${error && html`<p class="error" id="error" role="alert">${error}</p>`}
  </div>`
}

function describedBy(error: string | null): Html | null {
  return error ? html` aria-invalid="true" aria-describedby="error"` : null
}
