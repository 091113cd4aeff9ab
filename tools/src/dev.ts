/**
 * `npm run dev`: the system of `npm start` that follows the sources. Services restart when their sources or packages change, and `turbo watch`
 * regenerates the files that derive from the contracts. The engines keep running. Arguments are those of `npm start`.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startManagedProcess } from '@quittance/testing/engines/guarded-process'
import { resolveProgram } from './resolve-program.ts'
import { turboEnvironment } from './run-turbo.ts'

const args = process.argv.slice(2)
if (!args.includes('--help')) regenerateOnChange()
// No load balancer needs a notice here; without it the gateway is ready again sooner.
process.env['STOP_NOTICE_MS'] ??= '0'
process.argv.splice(2, args.length, 'start', '--watch', ...args)
await import('./quittance.ts')

/** Starts turbo with a process that stops it when this one ends. */
function regenerateOnChange(): void {
  const folder = join(import.meta.dirname, '../../.turbo')
  mkdirSync(folder, { recursive: true })
  startManagedProcess({
    // At the lowest priority: a service that restarts comes first.
    command: 'nice',
    args: ['-n', '19', resolveProgram('turbo'), 'watch', 'generate', '--filter=@quittance/tools'],
    logFile: join(folder, 'watch.log'),
    signal: 'TERM',
    env: { ...process.env, ...turboEnvironment },
  })
  console.log('Generated files follow the contracts (.turbo/watch.log)')
}
