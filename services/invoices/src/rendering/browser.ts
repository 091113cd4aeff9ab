import type { Browser, Page } from 'puppeteer'
import { launchBrowser, type BrowserChoice, type LaunchedBrowser } from './launch-browser.ts'
import { createLending } from './lending.ts'
import { withTimeLimit } from './time-limit.ts'

/** More pages than this only wait for each other on a small machine. */
const poolSize = 2
/** Far below where a page was ever seen to grow. */
const usesPerPage = 500
const closePageWithinMs = 2_000

/** One warm browser with a few pages that are used again and again. It is started when needed, and again when it died. */
export interface SharedBrowser {
  /** Starts the browser ahead of the first use. Every `open` wants a `close`. */
  open(): Promise<void>
  /**
   * Lends a page that runs no script and whose requests wait for the borrower to answer them. A page that saw an error is not
   * lent again, nor one that the borrower has worn out. Refused with `NotLent` once closed.
   */
  withPage<T>(work: (page: Page, wearOut: () => void) => Promise<T>): Promise<T>
  /** Lends no more, waits for lent pages, and ends the browser; nothing of it is left. */
  close(): Promise<void>
}

interface Slot {
  page: Page | null
  uses: number
}

/** `choose` is asked at each start; a path that is undefined searches. */
export function createBrowser(choose: () => BrowserChoice): SharedBrowser {
  const chromium = keepLaunched(choose)
  const slots = createLending<Slot>(Array.from({ length: poolSize }, () => ({ page: null, uses: 0 })))
  let openings = 0
  return {
    async open() {
      await chromium.current()
      openings += 1
      slots.start()
    },
    withPage: (work) =>
      slots.lend(async (slot) => {
        try {
          const result = await work(await pageOf(slot, chromium), () => (slot.uses = usesPerPage))
          slot.uses += 1
          if (slot.uses >= usesPerPage) await discardPage(slot, chromium)
          return result
        } catch (error) {
          await discardPage(slot, chromium)
          throw error
        }
      }),
    async close() {
      openings -= 1
      if (openings > 0) return
      await slots.stop()
      await chromium.end()
    },
  }
}

interface BrowserProcess {
  current(): Promise<LaunchedBrowser>
  /** Ends the one there is; with `browser`, only if it still is that one: another lane may have started the next already. */
  end(browser?: Browser): Promise<void>
}

function keepLaunched(choose: () => BrowserChoice): BrowserProcess {
  let launched: Promise<LaunchedBrowser> | null = null
  return {
    current() {
      if (launched) return launched
      const launching = launchBrowser(choose())
      const forget = () => {
        if (launched === launching) launched = null
      }
      launching.then(({ browser }) => browser.once('disconnected', forget), forget)
      launched = launching
      return launching
    },
    async end(only) {
      const ending = launched
      const found = await ending?.catch(() => null)
      if (!found || (only && found.browser !== only)) return
      if (launched === ending) launched = null
      await found.close()
    },
  }
}

async function pageOf(slot: Slot, chromium: BrowserProcess): Promise<Page> {
  if (slot.page && !slot.page.isClosed() && slot.page.browser().connected) return slot.page
  await discardPage(slot, chromium)
  const { browser } = await chromium.current()
  try {
    const page = await browser.newPage()
    await page.setJavaScriptEnabled(false)
    await page.setRequestInterception(true)
    slot.page = page
    return page
  } catch (error) {
    await chromium.end(browser)
    throw error
  }
}

/** A page that does not close hangs; its browser goes with it. */
async function discardPage(slot: Slot, chromium: BrowserProcess): Promise<void> {
  const { page } = slot
  slot.page = null
  slot.uses = 0
  if (!page || page.isClosed() || !page.browser().connected) return
  const limit = { ms: closePageWithinMs, error: () => new Error('The page does not close') }
  await withTimeLimit(page.close(), limit).catch(() => chromium.end(page.browser()))
}
