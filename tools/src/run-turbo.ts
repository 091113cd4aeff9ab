import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { resolveProgram } from './resolve-program.ts'

const root = join(import.meta.dirname, '../..')

/** No command of this repository reports its use. */
export const turboEnvironment = { TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' }

/** Runs turbo at the top of the checkout and returns its exit code. A stop signal is passed on: turbo stops its tasks. */
export function runTurbo(args: readonly string[]): Promise<number> {
  recordPlatform()
  const child = spawn(resolveProgram('turbo'), args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...turboEnvironment } })
  const pass = (signal: NodeJS.Signals) => void child.kill(signal)
  const signals = ['SIGTERM', 'SIGHUP', 'SIGINT'] as const
  for (const signal of signals) process.on(signal, pass)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      for (const each of signals) process.off(each, pass)
      resolve(code ?? 128 + constants.signals[signal as NodeJS.Signals])
    })
  })
}

/** A result holds for one version of Node on one platform: `turbo.json` has this file among its global dependencies. */
function recordPlatform(): void {
  const file = join(root, '.turbo/platform')
  const platform = `${process.platform} ${process.arch} ${process.version}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === platform) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, platform)
}
