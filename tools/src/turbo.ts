/** `npm run turbo -- run test --affected`: turbo on Node 24, with its telemetry off. */
import { runTurbo } from './run-turbo.ts'

process.exitCode = await runTurbo(process.argv.slice(2))
