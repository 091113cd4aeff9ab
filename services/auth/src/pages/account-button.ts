import { html, type Html } from '@quittance/pages/html'

export interface Button {
  /** Path below the account page. */
  action: string
  label: string
  /** Accessible name; distinguishes buttons with equal labels. */
  name: string
  field?: string
  value?: string
}

export type ButtonFactory = (button: Button) => Html

/** Creates the buttons of the account page, each in its form. */
export function accountButtons({ path, csrf }: { path: string; csrf: string }): ButtonFactory {
  return ({ action, label, name, field, value }) =>
    html`<form method="post" action="${path}/${action}">
      <input type="hidden" name="csrf" value="${csrf}" />${field && html`<input type="hidden" name="${field}" value="${value}" />`}
      <button class="small" type="submit" aria-label="${name}">${label}</button>
    </form>`
}
