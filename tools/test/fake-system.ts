/** `quittance start` with fake services and the real engines. `WATCHED_ROOT` names a checkout of fake services. */
import { join } from 'node:path'
import { startInstance } from '../src/supervisor/instance.ts'
import { parseStartOptions } from '../src/supervisor/start-options.ts'
import { handleStopSignals } from '../src/supervisor/stop-signals.ts'

const report = (line: string) => console.log(line)
const { WATCHED_ROOT: watchedRoot } = process.env
const resolveMain = (service: string) =>
  watchedRoot ? join(watchedRoot, 'services', service, 'src/main.ts') : join(import.meta.dirname, 'fake-service.ts')
const instance = startInstance({
  ...parseStartOptions(process.argv.slice(2)),
  userEnvironment: process.env,
  report,
  notify: report,
  resolveMain,
  ...(watchedRoot && { watchedRoot }),
})
handleStopSignals(async () => {
  await instance.stop()
  return 0
})
await instance.ready.catch(async (error: Error) => {
  await instance.stop()
  console.error(error.message)
  process.exit(1)
})
