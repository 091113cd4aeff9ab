import { createHash } from 'node:crypto'
import { errors, type ErrorOut, type KoaContextWithOIDC } from 'oidc-provider'
import { routes } from '../routes.ts'
import { errorPage, expiredPageContent, type ErrorPageContent } from './error-page.ts'
import { Html, html, isolate } from '@quittance/pages/html'
import { layout, pageHeaders } from './layout.ts'

/** Shown where no redirect is safe: the client or its redirect URI is unknown, or the request has ended. */
export function renderErrorPage(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): void {
  ctx.set(pageHeaders())
  ctx.body = errorPage({ ...toProtocolErrorContent(ctx.status, error), details: [out.error, out.error_description] })
}

/** Describes an error of the protocol to a user, who can do nothing about it. */
export function toProtocolErrorContent(status: number, error: Error): ErrorPageContent {
  if (error instanceof errors.SessionNotFound) return expiredPageContent
  if (error instanceof errors.InvalidClient) {
    return { title: 'This application is not known here', sentence: 'It was removed, or its link is wrong. Ask the people who made it.' }
  }
  if (status >= 500) {
    return { title: 'Something went wrong', sentence: 'The fault is on our side. Go back to the application and try again in a moment.' }
  }
  const sentence =
    'The application sent you here with a request that we cannot accept. You did nothing wrong; only its developers can fix it.'
  return { title: 'This link does not work', sentence }
}

/** Asks for confirmation before signing out, because any page can send a user here. */
export function renderSignOutPage(ctx: KoaContextWithOIDC, form: string): void {
  ctx.set(pageHeaders({ endsAtClient: ctx.oidc.params?.['post_logout_redirect_uri'] !== undefined }))
  ctx.body = layout({
    title: 'Sign out',
    body: html`<div class="card">
      <h1>Sign out?</h1>
      <p>
        This browser forgets you. Applications you connected keep working; you can end them in <a href="${routes.account}">your account</a>.
      </p>
      ${new Html(form)}
      <div class="actions">
        <button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>
        <button type="submit" form="op.logoutForm">Stay signed in</button>
      </div>
    </div>`,
  })
}

export async function renderSignedOutPage(ctx: KoaContextWithOIDC): Promise<void> {
  ctx.set(pageHeaders())
  const stayed = (await ctx.oidc.provider.Session.get(ctx)).accountId !== undefined
  ctx.body = layout({
    title: stayed ? 'Still signed in' : 'Signed out',
    body: html`<div class="card">
      <h1>${stayed ? 'You stay signed in' : 'You are signed out'}</h1>
      <p>You can close this window.</p>
    </div>`,
  })
}

/**
 * Replaces the library's page for a form that ends a confirmed or expired session; without scripts that page is blank except for a button.
 * Submits itself if scripts run, unless the sign-out redirects to a client that is not the operator's: then the page names the target.
 */
export function renderSignOutForm(ctx: KoaContextWithOIDC): void {
  const { session, client, entities } = ctx.oidc
  const state = session?.state as { secret?: string; postLogoutRedirectUri?: string } | undefined
  const target = entities.Interaction?.params['redirect_uri'] ?? state?.postLogoutRedirectUri
  const destination = entities.Interaction || client?.['is_trusted'] === true ? undefined : readDestination(state?.postLogoutRedirectUri)
  ctx.set(pageHeaders({ endsAtClient: target !== undefined, scriptHashes: destination ? [] : [submitScriptHash] }))
  ctx.body = layout({
    title: 'Continue',
    script: destination ? null : submitScript,
    body: html`<div class="card">
      <h1>One more step</h1>
      <p>The session that was open in this browser is ended before you go on.</p>
      ${destination && html`<p>You then leave for <strong>${isolate(destination)}</strong>. Continue only if you know it.</p>`}
      <form method="post" action="${ctx.oidc.urlFor('end_session_confirm')}">
        <input type="hidden" name="xsrf" value="${state?.secret}" />
        <input type="hidden" name="logout" value="yes" />
        <div class="actions"><button class="primary" type="submit" autofocus>Continue</button></div>
      </form>
    </div>`,
  })
}

/** Returns the part of an address that a user can judge: its host, or the scheme of an application. */
function readDestination(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address)
  return url?.host || url?.protocol
}

/** Submits the only form of a page. */
const script = `document.forms[0].submit()`

const submitScript = new Html(`<script>${script}</script>`)

/** Source expression for `script-src`. */
const submitScriptHash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`
