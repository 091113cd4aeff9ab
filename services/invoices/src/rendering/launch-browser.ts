import { randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'
import { defaultArgs, launch, type Browser, type CDPSession, type Page } from 'puppeteer'
import { config } from '../config.ts'
import { browserCommand, assignHome } from './browser-user.ts'
import { createBrowserProfile, removeBrowserProfile } from './browser-profile.ts'
import { findBrowser } from './find-browser.ts'
import { withTimeLimit } from '../threads/time-limit.ts'
import { lowerProcessPriority } from './lower-priority.ts'

const closeWithinMs = 3_000

const flags = [
  // No host name resolves, so a page cannot reach any host.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  // All requests go to a proxy that does not exist, so no IP address is reachable either, including this machine.
  '--proxy-server=socks5://127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-gpu',
  '--disable-quic',
  '--disable-sync',
  '--font-render-hinting=none',
  '--no-first-run',
  // Printed as the creator in the PDF metadata.
  '--user-agent=Quittance',
]

/** Which browser to start, and its isolation. */
export interface BrowserChoice {
  path: string | undefined
  /** `on` falls back to no sandbox with a warning if the kernel does not support it; `required` fails instead. */
  sandbox: 'on' | 'off' | 'required'
  /** Called if a browser runs without a sandbox although it should have one. */
  warn?: (reason: string) => void
}

/** A browser process with a dedicated home directory. */
export interface LaunchedBrowser {
  browser: Browser
  /** Opens a page for printing. */
  openPage(): Promise<Page>
  /** Stops all its processes and removes its directory. Idempotent, and works for a crashed browser. */
  close(): Promise<void>
}

/** Kernel support does not change, so it is checked once. */
let isSandboxUnavailable = false

/**
 * Starts a browser that communicates over a pipe: no other process can connect to it, and it exits when this process is killed. It does not
 * inherit the environment of the service, so it has none of its secrets. It runs as another user if this process can switch users, and
 * cannot reach any network.
 *
 * @throws Error if there is no browser, or if the sandbox is `required` but unavailable.
 */
export async function launchBrowser({ path, sandbox, warn }: BrowserChoice): Promise<LaunchedBrowser> {
  const executablePath = await findBrowser(path)
  const isWanted = sandbox !== 'off' && (sandbox === 'required' || !isSandboxUnavailable)
  if (!isWanted) return startBrowser(executablePath, { isSandboxed: false })
  try {
    return await startBrowser(executablePath, { isSandboxed: true })
  } catch (error) {
    if (sandbox === 'required' || !isSandboxError(error)) throw error
    isSandboxUnavailable = true
    warn?.(
      'The kernel does not support the Chromium sandbox. Set CHROMIUM_SANDBOX=required to fail instead of printing without it, or off to silence this warning.',
    )
    return startBrowser(executablePath, { isSandboxed: false })
  }
}

/** Matches the messages of Chromium without a usable sandbox: no user namespaces, or started by root. */
function isSandboxError(error: unknown): boolean {
  return /no usable sandbox|without --no-sandbox|namespace sandbox|zygote_host_impl|credentials\.cc/i.test(String(error))
}

async function startBrowser(executable: string, { isSandboxed }: { isSandboxed: boolean }): Promise<LaunchedBrowser> {
  const command = browserCommand(executable)
  const home = await createBrowserProfile()
  try {
    assignHome(home, command)
    const isShell = /headless[-_]shell/.test(basename(executable))
    const headless = isShell ? 'shell' : true
    const userDataDir = join(home, 'profile')
    const args = [...flags, ...(isShell ? ['--enable-begin-frame-control'] : []), ...(isSandboxed ? [] : ['--no-sandbox'])]
    const browser = await launch({
      executablePath: command.executable,
      // The prefix must precede all arguments, so puppeteer must not add its defaults at the front.
      ignoreDefaultArgs: true,
      args: [...command.prefix, ...(await defaultArgs({ headless, userDataDir, args }))],
      pipe: true,
      env: { HOME: home, TMPDIR: home, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' },
      // Timeout of one command; printing is one. Detects a browser that hangs.
      protocolTimeout: config().RENDER_TIMEOUT_MS,
      handleSIGHUP: false,
      handleSIGINT: false,
      handleSIGTERM: false,
    })
    // The process leads a session that contains all browser processes except the crash handlers.
    const leader = browser.process()?.pid
    if (leader) await lowerProcessPriority(leader)
    // If the browser is killed, its pipes emit errors after puppeteer has removed its listeners. Without a listener they would end this
    // process.
    for (const pipe of browser.process()?.stdio ?? []) pipe?.on('error', () => {})
    let closed: Promise<void> | null = null
    const close = () => (closed ??= endBrowser(browser).then(() => removeBrowserProfile(home)))
    browser.once('disconnected', () => void close())
    return { browser, openPage: isShell ? createUndrawnPages(browser) : () => browser.newPage(), close }
  } catch (error) {
    await removeBrowserProfile(home)
    throw error
  }
}

/**
 * Creates pages that draw on demand only, thus never, because printing does not need what would be on the screen. All are created through one
 * session: if two sessions of the browser target are created at the same time, puppeteer loses that target when the second is detached.
 */
function createUndrawnPages(browser: Browser): () => Promise<Page> {
  let session: Promise<CDPSession> | null = null
  return async () => {
    const url = `about:blank#${randomUUID()}`
    session ??= browser.target().createCDPSession()
    const created = (await session).send('Target.createTarget', { url, enableBeginFrameControl: true })
    const [target] = await Promise.all([browser.waitForTarget((each) => each.url() === url), created])
    const page = await target.page()
    if (!page) throw new Error('The browser opened no page')
    return page
  }
}

async function endBrowser(browser: Browser): Promise<void> {
  const leader = browser.process()?.pid
  await withTimeLimit(browser.close(), { ms: closeWithinMs, error: () => new Error('The browser does not close') }).catch(() => {})
  if (leader) killGroup(leader)
}

/** Some distributions start Chromium through a shell script, so the started process is not the browser. */
function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // The process group has already ended.
  }
}
