/**
 * `npm run test:containers`: tests the system in containers, as it is shipped. Separate from `npm test`, because it needs a Docker daemon.
 * Arguments go to vitest.
 */
import { spawnSync } from 'node:child_process'
import { isDockerAvailable } from '@quittance/testing/containers'
import { generateMissing, secretList } from './secrets/secret-list.ts'
import { resolveArguments, resolveProgram } from './resolve-program.ts'

if (!(await isDockerAvailable())) {
  console.error('No Docker daemon responds, and these tests need containers. Start one, or see infra/local-images/README.md.')
  process.exit(1)
}
// Compose requires all of them, even to build.
const inherit = { stdio: 'inherit', env: { ...process.env, ...generateMissing({}, secretList) } } as const
const build = spawnSync('docker', ['compose', 'build'], inherit)
if (build.status !== 0) process.exit(build.status ?? 1)
const args = ['run', '--project', 'containers', ...process.argv.slice(2)]
const { status } = spawnSync(resolveProgram('vitest'), resolveArguments('vitest', args), inherit)
process.exit(status ?? 1)
