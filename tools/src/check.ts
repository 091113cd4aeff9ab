/** `npm run check`: what must hold before every commit. */
import { checkSteps } from './check-steps.ts'
import { runSteps } from './run-steps.ts'

process.exit((await runSteps(checkSteps)) ? 0 : 1)
