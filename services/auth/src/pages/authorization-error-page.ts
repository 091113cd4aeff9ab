import type { KoaContextWithOIDC } from 'oidc-provider'
import { html, isolate } from '@quittance/pages/html'
import { layout, pageHeaders } from './layout.ts'
import { truncateName } from './consent-page.ts'

/** Replaces an error redirect to an unverified client: the user sees where it would lead and decides. */
export function renderAuthorizationError(ctx: KoaContextWithOIDC, location: string): void {
  const { clientName, clientId } = ctx.oidc.client ?? { clientId: '' }
  const target = URL.parse(location)
  const code = target?.searchParams.get('error') ?? 'invalid_request'
  const destination = target?.host || target?.protocol || 'the application'
  ctx.remove('location')
  ctx.status = 400
  ctx.set(pageHeaders())
  ctx.body = layout({
    title: 'This request was not completed',
    body: html`<div class="card">
      <h1>This request was not completed</h1>
      <p>
        <strong>${isolate(truncateName(clientName ?? clientId))}</strong> sent you here, and its request cannot be answered. It got no
        access to anything of yours.
      </p>
      <p>Anybody can register an application under any name. Continue only if you know the place it leads to.</p>
      <p><a href="${location}" rel="noreferrer">Continue to ${isolate(destination)}</a></p>
      <p class="quiet">Code: <code>${code}</code></p>
    </div>`,
  })
}
