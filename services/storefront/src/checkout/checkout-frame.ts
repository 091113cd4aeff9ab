import type { CheckoutPublic } from '@quittance/contracts/checkout'
import { webOrigin } from '@quittance/pages/page-headers'
import type { PageFrame } from '../page/page-frame.ts'
import type { PageContext } from '../page/page-context.ts'

/** What a page in a frame reports to the site around it, in this order. */
const eventsOf = {
  form: ['loaded'],
  processing: ['loaded', 'confirmed'],
  succeeded: ['loaded', 'confirmed', 'success'],
  ended: ['loaded'],
} as const

interface FramedPage {
  kind: keyof typeof eventsOf
  context: PageContext
  /** Where the order leads to. */
  success?: PageFrame['success']
}

/**
 * Returns the frame of a page of a checkout; null for a page in its own window. Only the origin that the seller stored gets messages,
 * whatever the address of the page contains.
 */
export function findFrame(checkout: CheckoutPublic, { kind, context, success = null }: FramedPage): PageFrame | null {
  const origin = webOrigin(checkout.embed_origin)
  if (!context.embedding || !origin) return null
  const { reported } = context.embedding
  // A form after an order was declined later: the site may close the frame again.
  const isReopened = kind === 'form' && reported === 'confirmed'
  const last = isReopened ? -1 : eventsOf[kind].findIndex((event) => event === reported)
  return { origin, events: eventsOf[kind].slice(last + 1), success }
}

/** Returns the path of a checkout, in the language, the theme and the frame of the visitor. */
export function checkoutPath(secret: string, context: PageContext): string {
  return `/checkout/${secret}?${buildQuery(context, { reported: context.embedding?.reported ?? 'loaded' })}`
}

/** Returns the path of the page after the order. */
export function confirmationPath(secret: string, context: PageContext, sale: string | null = null): string {
  return `/checkout/${secret}/confirmation?${buildQuery(context, { reported: 'loaded', sale })}`
}

/** Returns the path that completes the step of the bank in the sandbox. */
export function sandboxStepPath(secret: string, context: PageContext): string {
  return `/checkout/${secret}/sandbox-step?${buildQuery(context, { reported: 'confirmed' })}`
}

/** Returns the path of the page after that step, which waits for the end of the payment. */
export function afterStepPath(secret: string, context: PageContext): string {
  return `/checkout/${secret}/confirmation?${buildQuery(context, { reported: 'confirmed' })}&wait=1`
}

interface FrameState {
  /** What the site around the frame knows already. */
  reported: 'loaded' | 'confirmed'
  sale?: string | null
}

function buildQuery(context: PageContext, state: FrameState): URLSearchParams {
  const { language, theme } = context
  return new URLSearchParams({ locale: language, ...(theme && { theme }), ...framedQuery(context, state) })
}

/** Parameters that keep a page in its frame. */
function framedQuery({ embedding }: PageContext, { reported, sale }: FrameState): Record<string, string> {
  if (!embedding) return {}
  const kept = sale ?? embedding.sale
  return { embed: 'true', reported, ...(kept && { sale: kept }) }
}
