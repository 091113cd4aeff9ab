import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browserCommand } from '../src/rendering/browser-user.ts'
import { launchBrowser } from '../src/rendering/launch-browser.ts'

const path = process.env['PUPPETEER_EXECUTABLE_PATH']
const isRoot = process.getuid?.() === 0

test('starts the browser with four harmless environment variables and none of the service', async () => {
  process.env['SECRET_OF_THE_SERVICE'] = 'secret'
  const { browser, close } = await launchBrowser({ path, sandbox: 'on' })
  try {
    const environment = readFileSync(`/proc/${browser.process()?.pid}/environ`, 'utf8').split('\0').filter(Boolean)
    const names = environment.map((line) => line.split('=')[0] as string)
    // Some distributions start it through a script that adds variables.
    const ofTheScript = /^(CHROME|CHROMIUM|GOOGLE)_|^PWD$/
    expect(names.filter((name) => !ofTheScript.test(name)).toSorted()).toEqual(['HOME', 'LANG', 'PATH', 'TMPDIR'])
    expect(environment.join('\n')).not.toContain('SECRET_OF_THE_SERVICE')
  } finally {
    delete process.env['SECRET_OF_THE_SERVICE']
    await close()
  }
})

test.runIf(isRoot)('runs the browser of a root service as a user without access to its environment and files', async () => {
  const { browser, close } = await launchBrowser({ path, sandbox: 'on' })
  const folder = mkdtempSync(join(tmpdir(), 'quittance-secrets-'))
  try {
    const { uid } = browserCommand('/bin/cat')
    expect(statSync(`/proc/${browser.process()?.pid}`).uid).toBe(uid)
    chmodSync(folder, 0o755)
    const file = join(folder, 'secrets.json')
    writeFileSync(file, 'secret', { mode: 0o600 })
    for (const target of [`/proc/${process.pid}/environ`, `/proc/${process.pid}/mem`, file]) {
      const { executable, prefix } = browserCommand('/bin/cat')
      const { status, stderr } = spawnSync(executable, [...prefix, target], { encoding: 'utf8' })
      expect({ target, status, stderr }).toMatchObject({
        target,
        status: 1,
        stderr: expect.stringContaining('Permission denied') as string,
      })
    }
  } finally {
    rmSync(folder, { recursive: true })
    await close()
  }
})

test.runIf(isRoot)('protects the environment of a program its user cannot read from processes of that user', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-program-'))
  try {
    chmodSync(folder, 0o755)
    const program = join(folder, 'sleep')
    const read = (mode: number) => {
      copyFileSync('/bin/sleep', program)
      chmodSync(program, mode)
      const script = `SECRET=secret ${program} 5 & until [ "$(cat /proc/$!/comm)" = sleep ]; do :; done; cat /proc/$!/environ; code=$?; kill $!; exit $code`
      const { executable, prefix } = browserCommand('/bin/sh')
      return spawnSync(executable, [...prefix, '-c', script], { encoding: 'utf8', env: { PATH: '/usr/bin:/bin' } })
    }
    expect(read(0o755)).toMatchObject({ status: 0, stdout: expect.stringContaining('SECRET=secret') as string })
    expect(read(0o711)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('Permission denied') as string })
    expect(readFileSync(join(import.meta.dirname, '../../../Dockerfile'), 'utf8')).toContain('RUN chmod 711 "$(command -v node)"')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('lets no request of a page leave the browser, not even to an address of this machine', async () => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    response.end('here')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { browser, close } = await launchBrowser({ path, sandbox: 'on' })
  try {
    // Without the interception on pages for documents, to test what the process itself blocks.
    const page = await browser.newPage()
    for (const host of ['127.0.0.1', 'localhost', '[::1]'])
      await expect(page.goto(`http://${host}:${port}/`)).rejects.toThrow(
        /ERR_(PROXY_CONNECTION_FAILED|SOCKS_CONNECTION_FAILED|NAME_NOT_RESOLVED)/,
      )
    expect(requests).toEqual([])
  } finally {
    await close()
    server.close()
  }
})

/** Whether an unprivileged user can create user namespaces, which Chromium's sandbox requires. */
const hasNamespaces = () => {
  const { executable, prefix } = browserCommand('/usr/bin/unshare')
  return spawnSync(executable, [...prefix, '--user', '--pid', '--fork', 'true']).status === 0
}

test('enables the sandbox if the kernel supports it; otherwise warns, and fails if required', async () => {
  const warnings: string[] = []
  const { browser, close } = await launchBrowser({ path, sandbox: 'on', warn: (reason) => warnings.push(reason) })
  try {
    const command = execFileSync('ps', ['-o', 'args=', '-p', String(browser.process()?.pid)], { encoding: 'utf8' })
    expect(command.includes('--no-sandbox')).toBe(!hasNamespaces())
  } finally {
    await close()
  }
  if (hasNamespaces()) await (await launchBrowser({ path, sandbox: 'required' })).close()
  else await expect(launchBrowser({ path, sandbox: 'required' })).rejects.toThrow()
})
