import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')

test('the storefront starts without NATS_URL, and is alive before there is a gateway [pages 7]', async () => {
  const { PATH, HOME } = process.env
  const settings = { HEALTH_HOST: '127.0.0.1', HEALTH_PORT: '0', API_HTTP_URL: 'http://127.0.0.1:9', LOG_LEVEL: 'info' }
  const child = spawn(process.execPath, [join(root, 'services/storefront/src/main.ts')], { env: { PATH, HOME, ...settings } })
  try {
    let port: number | null = null
    for await (const line of createInterface({ input: child.stdout })) {
      const { event, health_port } = JSON.parse(line) as { event?: string; health_port?: number }
      if (event !== 'service.started') continue
      port = health_port ?? null
      break
    }
    const ask = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
    expect([await ask('/livez'), await ask('/readyz')]).toEqual([200, 503])
    const exposed = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    expect(/^readiness_check_success\{check="api".*$/m.exec(exposed)?.[0]).toMatch(/ 0$/)
  } finally {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill()
    await ended
  }
})

/** Runs the check of imports on one file of a service, in a folder with the packages of this repository. */
async function checkImports(path: string, source: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-imports-'))
  try {
    for (const name of ['node_modules', 'packages', 'tsconfig.json', '.dependency-cruiser.cjs'])
      symlinkSync(join(root, name), join(folder, name))
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), source)
    const command = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
    const options = { cwd: folder, maxBuffer: 10_000_000 }
    return await new Promise((resolve) =>
      execFile(process.execPath, [command, '--config', '.dependency-cruiser.cjs', 'services'], options, (_error, stdout, stderr) =>
        resolve(stdout + stderr),
      ),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('the check rejects the message bus and a database in the storefront, also through a file of the runtime [pages 7]', async () => {
  const rule = 'page-services-reach-neither-bus-nor-database'
  const file = 'services/storefront/src/page/planted.ts'
  for (const target of ['nats', 'pg', '../../../../packages/runtime/src/nats/mux-inbox.ts']) {
    expect({ target, output: await checkImports(file, `import '${target}'\n`) }).toEqual({ target, output: expect.stringContaining(rule) })
  }
  expect(await checkImports(file, `import 'fastify'\n`)).not.toContain(rule)
})
