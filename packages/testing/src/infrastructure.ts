import type { TestProject } from 'vitest/node'
import { isDockerAvailable, startContainers } from './containers.ts'
import { startEmbedded } from './embedded.ts'

/**
 * Vitest's global set-up: containers if a Docker daemon is available, otherwise embedded servers.
 * `QUITTANCE_TEST_INFRA=containers|embedded` forces one of them.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const kind = await chosenKind()
  const infrastructure = await (kind === 'containers' ? startContainers() : startEmbedded())
  project.provide('postgresUrl', infrastructure.postgresUrl)
  project.provide('natsHost', infrastructure.natsHost)
  return () => infrastructure.stop()
}

async function chosenKind(): Promise<'containers' | 'embedded'> {
  const forced = process.env['QUITTANCE_TEST_INFRA']
  if (forced === 'containers' || forced === 'embedded') return forced
  if (forced) throw new Error(`QUITTANCE_TEST_INFRA is "${forced}"; it must be containers or embedded.`)
  return (await isDockerAvailable()) ? 'containers' : 'embedded'
}
