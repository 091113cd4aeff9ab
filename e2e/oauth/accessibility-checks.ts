import type { Page } from '../browser/chromium.ts'

/** The DOM types that these functions use; they run in the browser. */
interface PageElement {
  id: string
  name?: string
  tagName: string
  parentElement: PageElement | null
  childNodes: Iterable<{ nodeType: number; nodeValue: string | null }>
  textContent: string
  outerHTML: string
  labels?: { length: number } | null
}
declare const document: {
  activeElement: PageElement
  querySelectorAll(selector: string): Iterable<PageElement>
}
declare function getComputedStyle(element: PageElement): Record<'color' | 'backgroundColor' | 'outlineStyle' | 'outlineWidth', string>

/** Returns text whose contrast with its background is below 4.5:1 (WCAG 2.2, 1.4.3), with the ratio. */
export function findLowContrast(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const channels = (color: string) => (color.match(/[\d.]+/g) ?? []).map(Number)
    const luminance = (color: string) => {
      const [red = 0, green = 0, blue = 0] = channels(color)
        .map((channel) => channel / 255)
        .map((channel) => (channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4))
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
    const findBackground = (element: PageElement | null): string => {
      if (!element) return 'rgb(255, 255, 255)'
      const { backgroundColor } = getComputedStyle(element)
      const [, , , alpha = 1] = channels(backgroundColor)
      return alpha === 1 ? backgroundColor : findBackground(element.parentElement)
    }
    return [...document.querySelectorAll('body *')]
      .filter(
        (element) => element.tagName === 'INPUT' || [...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()),
      )
      .flatMap((element) => {
        const [textLuminance, backgroundLuminance] = [luminance(getComputedStyle(element).color), luminance(findBackground(element))]
        const ratio = (Math.max(textLuminance, backgroundLuminance) + 0.05) / (Math.min(textLuminance, backgroundLuminance) + 0.05)
        return ratio < 4.5 ? [`${ratio.toFixed(2)}: ${element.outerHTML.slice(0, 80)}`] : []
      })
  })
}

/** Returns fields without a label for screen readers. */
export function findUnlabelled(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('input:not([type=hidden]), select, textarea')]
      .filter(({ labels }) => labels?.length === 0)
      .map(({ outerHTML }) => outerHTML),
  )
}

/** Returns the focused element, and whether its focus is visible. */
export function readFocused(page: Page): Promise<{ name: string; isSeen: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return {
      name: ['BUTTON', 'SUMMARY', 'A'].includes(element.tagName) ? element.textContent.trim() : element.id || (element.name ?? ''),
      isSeen: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    }
  })
}
