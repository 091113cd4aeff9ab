import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { errorPage } from './error-page.ts'
import { Html, html } from './html.ts'
import { formTarget, layout, pageHeaders } from './layout.ts'

/** Shown where no redirect is safe: the client or its redirect URI is not known. */
export function renderErrorPage(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  ctx.set(pageHeaders())
  const ours = ctx.status >= 500
  ctx.body = errorPage({
    title: ours ? 'Something went wrong' : 'This link does not work',
    sentence: ours
      ? 'The fault is on our side. Go back to the application and try again.'
      : `The application that sent you here made a mistake: ${out.error_description ?? out.error}. Go back to it and try again.`,
    code: out.error,
  })
}

/** Asks before signing out, because any page can send a person here. */
export function renderSignOutPage(ctx: KoaContextWithOIDC, form: string): void {
  ctx.set(pageHeaders(formTarget(ctx.oidc.params?.['post_logout_redirect_uri'])))
  ctx.body = layout({
    title: 'Sign out',
    body: html`<div class="card">
      <h1>Sign out?</h1>
      <p>Applications you connected keep working. You can end them under “Connected apps”.</p>
      ${new Html(form)}
      <div class="actions">
        <button class="primary" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
        <button type="submit" form="op.logoutForm">Stay signed in</button>
      </div>
    </div>`,
  })
}

export function renderSignedOutPage(ctx: KoaContextWithOIDC): void {
  ctx.set(pageHeaders())
  const stayed = ctx.oidc.client !== undefined
  ctx.body = layout({
    title: stayed ? 'Still signed in' : 'Signed out',
    body: html`<div class="card">
      <h1>${stayed ? 'You stay signed in' : 'You are signed out'}</h1>
      <p>You can close this window.</p>
    </div>`,
  })
}
