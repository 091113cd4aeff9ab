import { html } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { newPasswordFields, usernameField } from './password-fields.ts'

export interface ResetPasswordPage {
  action: string
  /** Token of the link. */
  token: string
  email: string
  error: string | null
}

export function resetPasswordPage({ action, token, email, error }: ResetPasswordPage): string {
  return layout({
    title: error ? 'Error: set a new password' : 'Set a new password',
    body: html`<div class="card">
      <h1>Set a new password</h1>
      <p class="quiet">
        for <strong><bdi>${email}</bdi></strong
        >. You will be signed out everywhere.
      </p>
      <form method="post" action="${action}">
        <input type="hidden" name="token" value="${token}" />
        ${usernameField(email)} ${newPasswordFields(error)}
        <div class="actions"><button class="primary" type="submit">Set password</button></div>
      </form>
    </div>`,
  })
}

export function resetDonePage(accountPath: string): string {
  return layout({
    title: 'Password set',
    body: html`<div class="card">
      <h1>Your new password is set</h1>
      <p>
        You are signed out everywhere. Applications that you connected still work: look through them if somebody else knew your password.
      </p>
      <div class="actions"><a class="button primary" href="${accountPath}">Sign in</a></div>
    </div>`,
  })
}

export function resetOverPage(forgotPath: string): string {
  return layout({
    title: 'This link is over',
    body: html`<div class="card" role="alert">
      <h1>This link works no more</h1>
      <p>It was used, is too old, or was replaced by a newer one.</p>
      <div class="actions"><a class="button" href="${forgotPath}">Ask for a new link</a></div>
    </div>`,
  })
}
