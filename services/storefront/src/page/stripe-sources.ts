import type { ProviderSources } from '@quittance/pages/page-headers'

/** The script of a payment provider, and what its pages may load for it. */
export interface ProviderScript {
  url: string
  sources: ProviderSources
}

/** Returns what a page with the payment form of Stripe may load; of another address, which tests use, its origin only. */
export function findStripeSources(scriptUrl: string): ProviderScript {
  const { origin, host } = new URL(scriptUrl)
  if (host !== 'js.stripe.com') return { url: scriptUrl, sources: { scripts: [origin], frames: [origin], connections: [origin] } }
  // As Stripe documents: https://docs.stripe.com/security/guide#content-security-policy
  const own = [origin, 'https://*.js.stripe.com']
  return {
    url: scriptUrl,
    sources: { scripts: own, frames: [...own, 'https://hooks.stripe.com'], connections: ['https://api.stripe.com'] },
  }
}
