import axe from 'axe-core'
import type { Page } from './chromium.ts'

/** Returns the violations of WCAG 2.2 A and AA and of best practices that axe-core finds, one line each. */
export async function findAccessibilityViolations(page: Page): Promise<string[]> {
  // axe-core waits with timers, which do not run while scripts are disabled.
  const hadScripts = page.isJavaScriptEnabled()
  await page.setJavaScriptEnabled(true)
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate('axe.run()')) as axe.AxeResults
  await page.setJavaScriptEnabled(hadScripts)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
