import { join } from 'node:path'
import { inlineScript, type InlineAsset } from '@quittance/pages/layout'
import { build, stop } from 'esbuild'

/** Scripts of the pages, one per kind of page. */
export interface PageScripts {
  checkout: InlineAsset
  /** Of a checkout with the payment form of Stripe. */
  stripeCheckout: InlineAsset
  confirmation: InlineAsset
  portal: InlineAsset
  /** Of the pages that pay what is owed and store a payment method. */
  pay: InlineAsset
  /** Loaded by the sites of sellers, to show checkouts in a frame. */
  embed: string
}

const folder = join(import.meta.dirname, '..', 'browser')

/** Bundles and minifies the scripts in memory: the repository has no build step, and pages no files beside them. */
export async function bundleScripts(): Promise<PageScripts> {
  const [embed = '', ...inline] = await Promise.all(['embed', 'checkout', 'stripe-checkout', 'confirmation', 'portal', 'pay'].map(bundle))
  const [checkout, stripeCheckout, confirmation, portal, pay] = inline.map(inlineScript)
  // Ends the process of the bundler, which is not needed again.
  await stop()
  return { checkout, stripeCheckout, confirmation, portal, pay, embed } as PageScripts
}

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(folder, `${name}.ts`)],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2020',
    legalComments: 'none',
    charset: 'utf8',
    logLevel: 'silent',
    // An image has no tsconfig.json of the repository.
    tsconfigRaw: {},
  })
  return outputFiles[0]?.text ?? ''
}
