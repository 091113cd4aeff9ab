import { html, type Html } from '@quittance/pages/html'

/** Fields for a new password, twice. */
export function newPasswordFields(error: string | null): Html {
  const described = error ? html` aria-invalid="true" aria-describedby="new-error"` : html` aria-describedby="new-hint"`
  return html`<div class="field">
      <label for="new_password">New password</label>
      <input
        id="new_password"
        name="new_password"
        type="password"
        autocomplete="new-password"
        required
        minlength="8"
        maxlength="200"
        ${described}
      />
      <p class="quiet hint" id="new-hint">At least 8 characters. Several words are better than one.</p>
      ${error && html`<p class="error" id="new-error" role="alert">${error}</p>`}
    </div>
    <div class="field">
      <label for="repeated_password">New password again</label>
      <input id="repeated_password" name="repeated_password" type="password" autocomplete="new-password" required maxlength="200" />
    </div>`
}

/** For password managers only, on pages that know the user: without it they store a password without a name. */
export function usernameField(email: string): Html {
  return html`<input type="email" autocomplete="username" value="${email}" readonly hidden />`
}
