/**
 * `npm run test:containers`: the system in containers, as it is shipped. Apart from `npm test`, because it needs a Docker daemon.
 * Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { dockerAnswers } from '@quittance/testing/containers'
import { resolveArguments, resolveProgram } from './run-steps.ts'

if (!(await dockerAnswers())) {
  console.error('No Docker daemon answers, and these tests are about containers. Start one, or see infra/local-images/README.md.')
  process.exit(1)
}
const inherit = { stdio: 'inherit' } as const
const build = spawnSync('docker', ['compose', 'build'], inherit)
if (build.status !== 0) process.exit(build.status ?? 1)
const args = ['run', '--project', 'containers', ...process.argv.slice(2)]
const { status } = spawnSync(resolveProgram('vitest'), resolveArguments('vitest', args), inherit)
process.exit(status ?? 1)
