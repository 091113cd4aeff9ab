import { join } from 'node:path'
import { request } from 'undici'
import { inject } from 'vitest'
import type { PackageFolder } from './install-packages.ts'

/** Versions of the official client under test, oldest first; `clients/package.json` pins them. */
export const versions = [
  '0.32.11',
  '0.33.2',
  '0.34.2',
  '0.34.17',
  '0.35.4',
  '0.38.1',
  '0.40.3',
  '0.42.5',
  '0.46.7',
  '0.49.0',
  '1.0.1',
] as const

export type Version = (typeof versions)[number]

/** Verifies and parses a received webhook; throws, or rejects, if either fails. */
export type ValidateEvent = (body: string, headers: Record<string, string>, secret: string) => unknown

interface LoadedClient {
  // oxlint-disable-next-line typescript/no-explicit-any -- eleven versions with eleven sets of types
  polar: any
  validateEvent: ValidateEvent
}

export const clientsFolder = join(import.meta.dirname, 'clients')

/**
 * Returns a folder beside this file in which the packages are installed; waits for the installation, which may take longer than the client
 * waits for headers by default. A worker that waited synchronously would lose its kept connections, and its next POST would fail.
 */
export async function packagesFolder(name: PackageFolder): Promise<string> {
  const { statusCode, body } = await request(`${inject('packages')}/${name}`, { headersTimeout: 0 })
  const folder = await body.text()
  if (statusCode !== 200) throw new Error(folder)
  return folder
}

/** Loads one version of the client, unmodified, with the public address of the system as its server. Versions 1.x can act on one organization. */
export async function loadClient(
  version: Version,
  { token, baseUrl, organizationId }: { token: string; baseUrl: string; organizationId?: string },
): Promise<LoadedClient> {
  const load = (file: string) => import(join(clientsFolder, `node_modules/polar-sdk-${version}/dist`, file))
  if (version.startsWith('1.')) {
    const { createPolar, webhooks } = await load('2026-04/index.mjs')
    return { polar: createPolar({ accessToken: token, baseUrl, organizationId }), validateEvent: webhooks.validateEvent }
  }
  const [{ Polar }, { validateEvent }] = await Promise.all([load('esm/index.js'), load('esm/webhooks.js')])
  return { polar: new Polar({ accessToken: token, serverURL: baseUrl }), validateEvent }
}
