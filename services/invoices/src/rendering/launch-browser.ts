import { basename, join } from 'node:path'
import { launch, type Browser } from 'puppeteer'
import { config } from '../config.ts'
import { makeBrowserHome, removeBrowserHome } from './browser-home.ts'
import { findBrowser } from './find-browser.ts'
import { withTimeLimit } from './time-limit.ts'
import { yieldToOthers } from './yield-to-others.ts'

const closeWithinMs = 3_000

const flags = [
  // No name resolves: whatever a page asks for, it reaches nobody.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--font-render-hinting=none',
  '--no-first-run',
  // It stands as the creator in what is printed.
  '--user-agent=Quittance',
]

/** Which browser, and how it is kept in. */
export interface BrowserChoice {
  path: string | undefined
  sandbox: 'on' | 'off'
}

/** A browser process with a home directory of its own. */
export interface LaunchedBrowser {
  browser: Browser
  /** Ends every process of it and removes its directory; safe to call again, and on a browser that died. */
  close(): Promise<void>
}

/**
 * Starts a browser that talks over a pipe: nobody else can connect to it, and it ends by itself when this process is killed.
 * It gets none of the service's environment, hence none of its secrets.
 */
export async function launchBrowser({ path, sandbox }: BrowserChoice): Promise<LaunchedBrowser> {
  const executablePath = await findBrowser(path)
  const home = await makeBrowserHome()
  try {
    const browser = await launch({
      executablePath,
      headless: /headless[-_]shell/.test(basename(executablePath)) ? 'shell' : true,
      pipe: true,
      args: sandbox === 'off' || process.getuid?.() === 0 ? [...flags, '--no-sandbox'] : flags,
      env: { HOME: home, TMPDIR: home, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
      userDataDir: join(home, 'profile'),
      // Longest answer to one command, of which printing is one; a browser that hangs is found out, not waited for.
      protocolTimeout: config().RENDER_TIMEOUT_MS,
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
    })
    // It is started as the leader of a session, in which all its processes but the crash handlers are.
    const leader = browser.process()?.pid
    if (leader) await yieldToOthers(leader)
    // When the browser is killed, its pipes fail after puppeteer has stopped listening to them; unheard, that would end this process.
    for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {})
    let closed: Promise<void> | null = null
    const close = () => (closed ??= endBrowser(browser).then(() => removeBrowserHome(home)))
    browser.once('disconnected', () => void close())
    return { browser, close }
  } catch (error) {
    await removeBrowserHome(home)
    throw error
  }
}

async function endBrowser(browser: Browser): Promise<void> {
  const leader = browser.process()?.pid
  await withTimeLimit(browser.close(), { ms: closeWithinMs, error: () => new Error('The browser does not close') }).catch(() => {})
  if (leader) killGroup(leader)
}

/** Some distributions start Chromium through a shell script, so the process that was started is not the browser. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nothing of the group is left.
  }
}
