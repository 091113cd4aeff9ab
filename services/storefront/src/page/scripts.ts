import { join } from 'node:path'
import { inlineScript, type InlineAsset } from '@quittance/pages/layout'
import { build, stop } from 'esbuild'

/** Scripts of the pages, one per kind of page. */
export interface PageScripts {
  checkout: InlineAsset
  confirmation: InlineAsset
  portal: InlineAsset
}

const folder = join(import.meta.dirname, '..', 'browser')

/** Bundles and minifies the scripts in memory: the repository has no build step, and pages no files beside them. */
export async function bundleScripts(): Promise<PageScripts> {
  const [checkout, confirmation, portal] = await Promise.all(['checkout', 'confirmation', 'portal'].map(bundle))
  // Ends the process of the bundler, which is not needed again.
  await stop()
  return { checkout, confirmation, portal } as PageScripts
}

async function bundle(name: string): Promise<InlineAsset> {
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
  return inlineScript(outputFiles[0]?.text ?? '')
}
