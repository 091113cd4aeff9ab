/** `quittance start` with played services and the real engines. */
import { join } from 'node:path'
import { startInstance } from '../src/supervisor/instance.ts'
import { parseStartOptions } from '../src/supervisor/start-options.ts'
import { onStopSignals } from '../src/supervisor/stop-signals.ts'

const say = (line: string) => console.log(line)
const mainOf = () => join(import.meta.dirname, 'fake-service.ts')
const instance = startInstance({ ...parseStartOptions(process.argv.slice(2)), given: process.env, say, tell: say, mainOf })
onStopSignals(async () => {
  await instance.stop()
  return 0
})
await instance.ready.catch(async (error: Error) => {
  await instance.stop()
  console.error(error.message)
  process.exit(1)
})
