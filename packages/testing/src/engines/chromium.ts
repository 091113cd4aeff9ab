import { globSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ProgressReporter } from './engine.ts'
import { installWithApt, canUseApt, isExecutable, onPath, runProgram } from './find-program.ts'

/** Returns the path of the browser that renders invoices. The headless shell is preferred: it needs less than half the CPU per document. */
export async function findChromium(report: ProgressReporter): Promise<string> {
  const configured = process.env.PUPPETEER_EXECUTABLE_PATH
  if (configured) {
    if (!isExecutable(configured)) throw new Error(`PUPPETEER_EXECUTABLE_PATH is ${configured}, which is not an executable file.`)
    return configured
  }
  const found = installedChromium()
  if (found) return found
  const reasons = [await fromDistribution(report)]
  const fromApt = installed()
  if (fromApt) return fromApt
  reasons.push(await fromPuppeteer(report))
  const fetched = downloaded()
  if (fetched) return fetched
  throw new Error(
    `No Chromium was found:\n${reasons.map((reason) => `  - ${reason ?? 'nothing was installed'}`).join('\n')}\n` +
      'Install one (apt-get install chromium-headless-shell, brew install --cask chromium) or set PUPPETEER_EXECUTABLE_PATH.',
  )
}

/** Returns an installed browser; nothing is downloaded. */
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

/** Finds browsers in the cache of `puppeteer browsers install`; the newest is last by name. */
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

async function fromDistribution(report: ProgressReporter): Promise<string | null> {
  if (!canUseApt()) return 'apt-get: only used as root on Debian and Ubuntu'
  report('installing chromium-headless-shell with apt-get (first start, about a minute)')
  const failure = await installWithApt(['install', '-q', '-y', '--no-install-recommends', 'chromium-headless-shell'])
  return failure && `apt-get: ${failure}`
}

async function fromPuppeteer(report: ProgressReporter): Promise<string | null> {
  report('downloading chrome-headless-shell with puppeteer (first start)')
  const root = resolve(import.meta.dirname, '..', '..', '..', '..')
  const failure = await runProgram('npx', { args: ['puppeteer', 'browsers', 'install', 'chrome-headless-shell'], cwd: root })
  return failure && `puppeteer: ${failure}`
}
