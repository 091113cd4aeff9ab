import type { Page } from './chromium.ts'

/** What of a browser these functions use; they run there. */
interface Drawn {
  id: string
  name?: string
  tagName: string
  parentElement: Drawn | null
  childNodes: Iterable<{ nodeType: number; nodeValue: string | null }>
  textContent: string
  outerHTML: string
  labels?: { length: number } | null
}
declare const document: {
  activeElement: Drawn
  scrollingElement: { scrollWidth: number }
  querySelectorAll(selector: string): Iterable<Drawn>
}
declare const window: { innerWidth: number }
declare function getComputedStyle(element: Drawn): Record<'color' | 'backgroundColor' | 'outlineStyle' | 'outlineWidth', string>

/** What a person could not read: text whose contrast with its ground is below 4.5:1 (WCAG 2.2, 1.4.3), with the ratio. */
export function tooFaint(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color)
        .map((channel) => channel / 255)
        .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const groundOf = (element: Drawn | null): string => {
      if (!element) return 'rgb(255, 255, 255)'
      const { backgroundColor } = getComputedStyle(element)
      const [, , , alpha = 1] = channels(backgroundColor)
      return alpha === 1 ? backgroundColor : groundOf(element.parentElement)
    }
    return [...document.querySelectorAll('body *')]
      .filter(
        (element) => element.tagName === 'INPUT' || [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()),
      )
      .flatMap((element) => {
        const [ink, ground] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))]
        const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05)
        return ratio < 4.5 ? [`${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 80)}`] : []
      })
  })
}

/** Fields that a screen reader could not name. */
export function unlabelled(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
      .filter(({ labels }) => labels?.length === 0)
      .map(({ outerHTML }) => outerHTML),
  )
}

/** Width of the page beyond the window; 0 for a page that fits. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => Math.max(0, document.scrollingElement.scrollWidth - window.innerWidth))
}

/** What has the focus, and whether a person sees that it has. */
export function focused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return {
      name: element.tagName === 'BUTTON' ? element.textContent.trim() : element.id || (element.name ?? ''),
      isSeen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    }
  })
}
