import { access, constants } from 'node:fs/promises'
import { executablePath } from 'puppeteer'

/** Paths of Chromium in distributions. The headless shell is first because it needs a third of the CPU for printing. */
const systemBrowsers = [
  '/usr/bin/chromium-headless-shell',
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** Returns the path of the browser: the configured one, the one puppeteer downloaded, or the one of the system. */
export async function findBrowser(configured: string | undefined): Promise<string> {
  if (configured) return configured
  const downloaded = await Promise.all([executablePath({ headless: 'shell' }).catch(() => null), executablePath({}).catch(() => null)])
  for (const path of [...downloaded, ...systemBrowsers]) {
    if (path !== null && (await isExecutable(path))) return path
  }
  throw new Error('No Chromium found. Install the package chromium-headless-shell or chromium, or set PUPPETEER_EXECUTABLE_PATH.')
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}
