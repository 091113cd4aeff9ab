import { html } from '@quittance/pages/html'
import { layout } from './layout.ts'
import { newPasswordFields, usernameField } from './password-fields.ts'

export interface ChangePasswordPage {
  action: string
  /** Path of the account page. */
  back: string
  csrf: string
  email: string
  error: string | null
  /** The invalid field. */
  field: 'current' | 'new' | null
}

export function changePasswordPage({ action, back, csrf, email, error, field }: ChangePasswordPage): string {
  const current = field === 'current' ? error : null
  return layout({
    title: error ? 'Error: change password' : 'Change password',
    body: html`<div class="card">
      <h1>Change password</h1>
      <form method="post" action="${action}">
        <input type="hidden" name="csrf" value="${csrf}" />
        ${usernameField(email)}
        <div class="field">
          <label for="current_password">Current password</label>
          <input
            id="current_password"
            name="current_password"
            type="password"
            autocomplete="current-password"
            required
            maxlength="200"
            autofocus
            ${current && html` aria-invalid="true" aria-describedby="error"`}
          />
          ${current && html`<p class="error" id="error" role="alert">${current}</p>`}
        </div>
        ${newPasswordFields(field === 'new' ? error : null)}
        <label class="check"><input type="checkbox" name="end_others" value="yes" checked />Sign out all other browsers</label>
        <div class="actions">
          <button class="primary" type="submit">Save</button>
          <a class="button" href="${back}">Cancel</a>
        </div>
      </form>
    </div>`,
  })
}
