import { globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Say } from './engine.ts'
import { apt, canUseApt, isExecutable, onPath, run } from './find-program.ts'

/** Path of the browser that prints invoices. The headless shell comes first: it takes less than half the CPU per document. */
export async function findChromium(say: Say): Promise<string> {
  const given = process.env.PUPPETEER_EXECUTABLE_PATH
  if (given) {
    if (!isExecutable(given)) throw new Error(`PUPPETEER_EXECUTABLE_PATH is ${given}, which is not an executable file.`)
    return given
  }
  const found = installedChromium()
  if (found) return found
  const reasons = [await fromDistribution(say)]
  const fromApt = installed()
  if (fromApt) return fromApt
  reasons.push(await fromPuppeteer(say))
  const fetched = downloaded()
  if (fetched) return fetched
  throw new Error(
    `No Chromium was found:\n${reasons.map((reason) => `  - ${reason ?? 'nothing was installed'}`).join('\n')}\n` +
      'Install one (apt-get install chromium-headless-shell, brew install --cask chromium) or set PUPPETEER_EXECUTABLE_PATH.',
  )
}

/** One that is there already; nothing is fetched. */
export function installedChromium(): string | null {
  return downloaded() ?? installed()
}

function installed(): string | null {
  const onMac = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']
  return (
    onPath('chromium-headless-shell', 'chrome-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable') ??
    onMac.find(isExecutable) ??
    null
  )
}

/** What `puppeteer browsers install` has put into its cache, newest last in the order of names. */
function downloaded(): string | null {
  const cache = process.env.PUPPETEER_CACHE_DIR ?? join(homedir(), '.cache', 'puppeteer')
  const files = ['chrome-headless-shell/*/*/chrome-headless-shell', 'chrome/*/*/chrome'].map((pattern) =>
    globSync(pattern, { cwd: cache })
      .map((file) => join(cache, file))
      .filter(isExecutable)
      .toSorted(),
  )
  return files.map((group) => group.at(-1)).find(Boolean) ?? null
}

async function fromDistribution(say: Say): Promise<string | null> {
  if (!canUseApt()) return 'apt-get: only used as root on Debian and Ubuntu'
  say('installing chromium-headless-shell with apt-get (first start, about a minute)')
  const failure = await apt(['install', '-q', '-y', '--no-install-recommends', 'chromium-headless-shell'])
  return failure && `apt-get: ${failure}`
}

async function fromPuppeteer(say: Say): Promise<string | null> {
  say('downloading chrome-headless-shell with puppeteer (first start)')
  const root = resolve(import.meta.dirname, '..', '..', '..', '..')
  const failure = await run('npx', { args: ['puppeteer', 'browsers', 'install', 'chrome-headless-shell'], cwd: root })
  return failure && `puppeteer: ${failure}`
}
