import { errors, type ErrorOut, type KoaContextWithOIDC } from 'oidc-provider'
import { errorPage, expiredPage, type Fault } from './error-page.ts'
import { routes } from '../provider/routes.ts'
import { Html, html } from './html.ts'
import { formTarget, layout, pageHeaders } from './layout.ts'

/** Shown where no redirect is safe: the client or its redirect URI is not known, or the request is over. */
export function renderErrorPage(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void {
  ctx.set(pageHeaders())
  ctx.body = errorPage({ ...faultOf(ctx.status, out, error), code: out.error })
}

function faultOf(status: number, out: ErrorOut, error: Error): Fault {
  if (error instanceof errors.SessionNotFound) return expiredPage
  if (error instanceof errors.InvalidClient) {
    return { title: 'This application is not known here', sentence: 'It was removed, or its link is wrong. Ask whoever runs it.' }
  }
  if (status >= 500) {
    const sentence = 'The fault is on our side. Go back to the application and try again.'
    return { title: 'Something went wrong', sentence }
  }
  const mistake = out.error_description ?? out.error
  const sentence = `The application that sent you here made a mistake: ${mistake}. Go back to it and try again.`
  return { title: 'This link does not work', sentence }
}

/** Asks before signing out, because any page can send a person here. */
export function renderSignOutPage(ctx: KoaContextWithOIDC, form: string): void {
  ctx.set(pageHeaders(formTarget(ctx.oidc.params?.['post_logout_redirect_uri'])))
  ctx.body = layout({
    title: 'Sign out',
    body: html`<div class="card">
      <h1>Sign out?</h1>
      <p>Applications you connected keep working. You can end them under <a href="${routes.account}">Connected apps</a>.</p>
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
