import type { Browser, Page } from 'puppeteer'
import { launchBrowser, type BrowserChoice, type LaunchedBrowser } from './launch-browser.ts'
import { createResourcePool } from '../threads/resource-pool.ts'
import { withTimeLimit } from '../threads/time-limit.ts'

/** On a small machine, more pages only wait for each other. */
const poolSize = 3
/** Leaves a page for the documents of other owners. */
const pagesPerOwner = 2
/** A page grows by about 5 kB per document, and another one costs as much CPU as twenty documents. */
const usesPerPage = 5_000
const closePageWithinMs = 2_000

/** A running browser with a few reused pages. It starts on demand and restarts after a crash. */
export interface SharedBrowser {
  /** Starts the browser before its first use. Every `open` requires a `close`. */
  open(): Promise<void>
  /**
   * Runs `work` with a page that executes no script and whose requests wait until `work` answers them. The owner, an organization, never
   * uses all pages. A page is discarded after an error and after `retire`. Rejects with `PoolTimeout` once closed.
   */
  withPage<T>(owner: string, work: (page: Page, retire: () => void) => Promise<T>): Promise<T>
  /** Accepts no more work, waits for pages in use, and stops the browser with all its processes and files. */
  close(): Promise<void>
}

interface Slot {
  page: Page | null
  uses: number
}

/** Creates a browser. `choose` is called at each start; an undefined path means that the browser is searched for. */
export function createBrowser(choose: () => BrowserChoice): SharedBrowser {
  const chromium = createBrowserProcess(choose)
  const slots = createResourcePool<Slot>(
    Array.from({ length: poolSize }, () => ({ page: null, uses: 0 })),
    { share: pagesPerOwner },
  )
  let openCount = 0
  return {
    async open() {
      await chromium.current()
      openCount += 1
      slots.start()
    },
    withPage: (owner, work) =>
      slots.use(owner, async (slot) => {
        try {
          const result = await work(await getPage(slot, chromium), () => (slot.uses = usesPerPage))
          slot.uses += 1
          if (slot.uses >= usesPerPage) await discardPage(slot, chromium)
          return result
        } catch (error) {
          await discardPage(slot, chromium)
          throw error
        }
      }),
    async close() {
      openCount -= 1
      if (openCount > 0) return
      await slots.stop()
      await chromium.end()
    },
  }
}

interface BrowserProcess {
  current(): Promise<LaunchedBrowser>
  /** Stops the current browser. If `browser` is given, stops it only if it is still current: another job may have started the next one. */
  end(browser?: Browser): Promise<void>
}

function createBrowserProcess(choose: () => BrowserChoice): BrowserProcess {
  let launched: Promise<LaunchedBrowser> | null = null
  return {
    current() {
      if (launched) return launched
      const launching = launchBrowser(choose())
      const clear = () => {
        if (launched === launching) launched = null
      }
      launching.then(({ browser }) => browser.once('disconnected', clear), clear)
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

async function getPage(slot: Slot, chromium: BrowserProcess): Promise<Page> {
  if (slot.page && !slot.page.isClosed() && slot.page.browser().connected) return slot.page
  await discardPage(slot, chromium)
  const { browser, openPage } = await chromium.current()
  try {
    const page = await openPage()
    await page.setJavaScriptEnabled(false)
    await page.setRequestInterception(true)
    slot.page = page
    return page
  } catch (error) {
    await chromium.end(browser)
    throw error
  }
}

/** Closes a page. If it does not close, it hangs, and its browser is stopped. */
async function discardPage(slot: Slot, chromium: BrowserProcess): Promise<void> {
  const { page } = slot
  slot.page = null
  slot.uses = 0
  if (!page || page.isClosed() || !page.browser().connected) return
  const limit = { ms: closePageWithinMs, error: () => new Error('The page does not close') }
  await withTimeLimit(page.close(), limit).catch(() => chromium.end(page.browser()))
}
